// What the runtime says of a file that the user has named is the user's to mend.
#pragma once

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

}  // namespace programs
