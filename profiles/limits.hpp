// Numbers on the command lines of tools.
#pragma once

#include <cmath>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace trawl {

/// From `low` to `high`. CLI11 takes nan to be within any limits, and says small ones as 0.
inline CLI::Validator within(double low, double high) {
  CLI::Validator range = CLI::Range(low, high);
  return range.operation([low, high](const std::string& text) -> std::string {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || std::isnan(value)) return text + " is no number";
    if (low <= value && value <= high) return "";
    return fmt::format("Value {} not in range {} to {}", text, low, high);
  });
}

}  // namespace trawl
