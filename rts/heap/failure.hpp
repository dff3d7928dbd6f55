// An exception as the value of a thunk: rethrown at every force, on whichever PE.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "rts/bytes.hpp"

namespace trawl {

/// What becomes of an exception of a type that can't travel, wherever it was thrown: its type's
/// name and its message. (TRAWL_EXCEPTION makes a type travel.)
class RemoteError : public std::runtime_error {
 public:
  /// Made by the runtime.
  RemoteError(std::string type_name, const std::string& message)
      : std::runtime_error(message), type_name_(std::move(type_name)) {}

  /// The name of the type that it had, as the compiler writes it.
  const std::string& type_name() const noexcept { return type_name_; }

 private:
  std::string type_name_;
};

}  // namespace trawl

namespace trawl::heap {

class Packer;
class Unpacker;

/// A type of exceptions that arrive as themselves. Enters itself into the list of these.
struct ExceptionType {
  std::string name;
  const std::type_info& type;
  /// Writes what there is beside the message; nullptr: nothing.
  void (*write)(Packer&, const std::exception_ptr&);
  std::exception_ptr (*make)(const std::string& message, Unpacker& contents);

  ExceptionType(const std::type_info& its_type,
                void (*its_write)(Packer&, const std::exception_ptr&),
                std::exception_ptr (*its_make)(const std::string&, Unpacker&));
  ExceptionType(const ExceptionType&) = delete;
  ExceptionType& operator=(const ExceptionType&) = delete;
};

/// The names of all of them, in order: alike on PEs that run the same program.
std::vector<std::string_view> exceptions_that_travel();

/// Lives in the collected heap, referred to by nodes in State::exception.
struct Failure {
  std::exception_ptr error;
  std::string type_name;
  std::string message;
  const ExceptionType* type;  ///< nullptr: `error` is a RemoteError
};

/// What is being handled at this moment (call it in a catch clause), as every PE will see it: of a
/// type that travels, or a RemoteError.
Failure* current_failure();

/// Goes on throwing what is being handled at this moment, as current_failure sees it.
[[noreturn, gnu::cold]] void throw_as_value();

void pack_failure(Writer& to, const Failure& failure);
Failure* unpack_failure(Reader& from);

}  // namespace trawl::heap
