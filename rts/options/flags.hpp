// The table of the runtime's flags: what is read from it is the command line, --trawl:help, the
// digest of what a PE was told, and the page FLAGS.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rts/options/options.hpp"

namespace trawl {

struct Flag {
  /// Where its value goes; what is there in Options{} is its default.
  using Target =
      std::variant<int Options::*, unsigned Options::*, std::size_t Options::*, double Options::*,
                   std::string Options::*, StatsFormat Options::*, bool Options::*>;

  std::string_view name;
  std::string_view value;  ///< what its value is called; BYTES may have a unit; empty: it has none
  Target target;
  double least, most;  ///< of a number
  std::string_view what;
  std::vector<std::string_view> (*choices)() = nullptr;  ///< if its value is one of a few words
  bool alike = false;                                    ///< all PEs have to be told the same
  bool or_zero = false;                                  ///< of a number: 0 is allowed too

  bool is_number() const noexcept;
  bool is_whole_number() const noexcept {
    return is_number() && !std::holds_alternative<double Options::*>(target);
  }
  bool needs_value() const noexcept;
  bool is_switch() const noexcept { return std::holds_alternative<bool Options::*>(target); }
  bool takes_environment() const noexcept { return !is_switch(); }
  std::string usage() const;                        ///< --trawl:heap=BYTES, --trawl:stats[=FORMAT]
  std::string text() const;                         ///< what it does, with its choices
  std::string shown(const Options& options) const;  ///< its value, as a user would write it
  std::string range() const;                        ///< of a number, as a user would write it
};

std::span<const Flag> flags();
const Flag* find_flag(std::string_view name);  ///< nullptr: there is none

/// 8388608 as 8M.
std::string spell_size(std::size_t bytes);

}  // namespace trawl
