#include "rts/launch/environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <unistd.h>

namespace trawl::launch {
namespace {

constexpr std::string_view prefix = "TRAWL_";
constexpr std::array<std::string_view, 6> ours{"TRAWL_KEY",  "TRAWL_MEET",  "TRAWL_PES",
                                               "TRAWL_JOIN", "TRAWL_SEATS", "TRAWL_START_WAIT"};

// A shell knows no other names.
bool is_name(std::string_view text) {
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flags_to_pass_on() {
  std::vector<std::pair<std::string, std::string>> flags;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const auto end = text.find('=');
    if (!text.starts_with(prefix) || end == std::string_view::npos) continue;
    const auto name = text.substr(0, end);
    if (is_name(name) && std::find(ours.begin(), ours.end(), name) == ours.end())
      flags.emplace_back(name, text.substr(end + 1));
  }
  return flags;
}

}  // namespace trawl::launch
