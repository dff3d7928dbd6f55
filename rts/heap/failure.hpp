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

/// What a node holds whose value was lost with a PE, and can't be made again from what is here.
Failure* lost_failure();
bool is_lost(Node* node);

/// Called where the program's root has thrown, in a catch clause: if it needed what is lost, the
/// run fails, and this never returns.
void end_if_lost();
/// Is it being handled that a value was lost?
bool handles_lost();

/// Defined where threads are known (recover/again.cpp). The root itself needs what is lost: the run
/// fails. A function has caught what was thrown for that, and goes on: so it does, and the root
/// does not go on.
[[noreturn]] void note_lost_needed();
void note_lost_ignored();
/// Can the node, whose evaluation needed what is lost, be made again by what it came from?
bool can_be_remade(Node* node);

void pack_failure(Writer& to, const Failure& failure);
Failure* unpack_failure(Reader& from);

}  // namespace trawl::heap
