// An exception as the value of a thunk: rethrown at every force, on whichever PE.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "rts/bytes.hpp"

namespace trawl {

/// An exception of a type that can't travel, thrown on another PE: its type's name and its message.
class RemoteError : public std::runtime_error {
 public:
  RemoteError(std::string type_name, const std::string& message)
      : std::runtime_error(message), type_name_(std::move(type_name)) {}

  const std::string& type_name() const noexcept { return type_name_; }

 private:
  std::string type_name_;
};

}  // namespace trawl

namespace trawl::heap {

/// Lives in the collected heap, referred to by nodes in State::exception.
struct Failure {
  std::exception_ptr error;
  std::string type_name;
  std::string message;
};

/// What is being handled at this moment (call it in a catch clause).
Failure* current_failure();

void pack_failure(Writer& to, const Failure& failure);
/// Standard exceptions keep their type; others become a RemoteError.
Failure* unpack_failure(Reader& from);

}  // namespace trawl::heap
