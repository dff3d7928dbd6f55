// --trawl:help: the table of flags as text for a terminal.
#include <string>
#include <string_view>

#include "rts/options/flags.hpp"

namespace trawl {
namespace {

constexpr std::size_t text_begins = 32;
constexpr std::size_t line_ends = 100;

/// `text` behind `line`, from text_begins on, in as many lines as it takes.
std::string beside(std::string line, std::string_view text) {
  std::string all;
  if (line.size() >= text_begins) {
    all = line + "\n";
    line.clear();
  }
  constexpr auto room = line_ends - text_begins;
  while (true) {
    line.resize(text_begins, ' ');
    const auto space = text.size() <= room ? std::string_view::npos : text.rfind(' ', room);
    all += line + std::string(text.substr(0, space)) + "\n";
    if (space == std::string_view::npos) return all;
    text.remove_prefix(space + 1);
    line.clear();
  }
}

std::string entry(const Flag& flag) {
  const auto shown = flag.shown(Options{});
  return beside("  " + flag.usage(), flag.text() + (shown.empty() ? "" : " [" + shown + "]"));
}

}  // namespace

std::string options_help() {
  std::string help =
      "Flags of the Trawl runtime, with their defaults in brackets. Each but the last three may\n"
      "also be set in the environment, as TRAWL_NAME with _ for - (TRAWL_STACK_SIZE); the command\n"
      "line has the last word. Other TRAWL_ variables are refused, but TRAWL_TEST_.\n\n";
  for (const auto& flag : flags()) help += entry(flag);
  return help;
}

}  // namespace trawl
