// What the runtime says of a file that the user has named is the user's to mend.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <trawl/trawl.hpp>

#include "programs/common/bad_input.hpp"

namespace programs {

/// What `use()` gives; an Error that it throws is BadInput.
template <class F>
auto with_file(F use) {
  try {
    return use();
  } catch (const trawl::Error& e) {
    throw BadInput(e.what());
  }
}

/// Before computing. A checkpoint is written beside the one that it takes the place of.
inline void check_checkpoint(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) check_writable(file);
  check_writable(file + ".unfinished");
}

}  // namespace programs
