// An exception as the value of a thunk: rethrown at every force, on whichever PE.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/inline/exception.hpp"

namespace trawl::heap {

/// The names of all of them, in order: alike on PEs that run the same program.
std::vector<std::string_view> exceptions_that_travel();

/// Lives in the collected heap, referred to by nodes in State::exception.
struct Failure {
  std::exception_ptr error;
  std::string type_name;
  std::string message;
  const ExceptionType* type;  ///< nullptr: `error` is a RemoteError
};

void pack_failure(Writer& to, const Failure& failure);
Failure* unpack_failure(Reader& from);

}  // namespace trawl::heap
