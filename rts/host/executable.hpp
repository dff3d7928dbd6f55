// The file that this process runs, and where in it code lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trawl {

struct Executable {
  std::string path;   ///< empty: not known
  std::string build;  ///< its build id, in hexadecimal digits; empty: it has none
  std::uintptr_t base = 0;
  std::uintptr_t size = 0;  ///< in memory

  /// The place in the file's own addresses; nothing: it is code of a shared library.
  std::optional<std::uint32_t> place_of(std::uintptr_t address) const noexcept;
};

/// Found once.
const Executable& executable();

}  // namespace trawl
