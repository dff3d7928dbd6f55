// How tools that are Trawl programs, or start some, take their command lines.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <trawl/inline/error.hpp>

namespace trawl {

/// `words`: from the last to the first, as CLI11 takes them. What --help or --version has to print,
/// or nothing. Throws Error (exit code 2).
inline std::string parse_command_line(CLI::App& app, std::vector<std::string> words) {
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {
    std::ostringstream out;
    app.exit(asked, out, out);
    return out.str();
  } catch (const CLI::ParseError& wrong) {
    throw Error(wrong.what() + (" (see " + app.get_name()) + " --help)", 2);
  }
  return {};
}

}  // namespace trawl
