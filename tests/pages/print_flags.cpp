// Prints rts/FLAGS.md from the table of flags.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "rts/options/flags.hpp"

namespace {

std::string row(const trawl::Flag& flag) {
  const auto shown = flag.shown(trawl::Options{});
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", flag.usage(),
                     shown.empty() ? "" : fmt::format("`{}`", shown), flag.range(),
                     flag.alike ? "yes" : "", flag.text());
}

}  // namespace

int main() {
  std::string page =
      "# The runtime's flags\n\n"
      "Made from the table in `rts/options/flags.cpp`: `build/release/bin/tests/print_flags > "
      "rts/FLAGS.md`. A test compares this page with it.\n\n"
      "A flag is written `--trawl:NAME=VALUE`, anywhere behind the program and before a `--`; the "
      "program never sees it. Each but the last three may also be set in the environment, as "
      "`TRAWL_NAME` with `_` for `-` (`TRAWL_STACK_SIZE=1M`); the command line has the last word. "
      "What looks like a flag and is none is refused, and so is any other `TRAWL_` variable, but "
      "`TRAWL_TEST_`. Sizes may have a unit: 64K, 8M, 1G.\n\n"
      "A file (`--trawl:flags=FILE`, as `trawl-tune --write FILE` makes it) holds flags as words "
      "of "
      "the command line, one or many a line; a word that begins with `#` and the rest of its line "
      "are a comment. It is below the environment, names no other file, and has to be on every "
      "host. What is wrong in it is said with its line.\n\n"
      "*Alike*: all PEs of a run must be told the same, and the program's own arguments must be "
      "the "
      "same too; the main PE refuses others. All else may differ from PE to PE.\n\n"
      "| flag | default | range | alike | what it does |\n|---|---|---|---|---|\n";
  for (const auto& flag : trawl::flags()) page += row(flag);
  return std::fputs(page.c_str(), stdout) < 0 ? 1 : 0;
}
