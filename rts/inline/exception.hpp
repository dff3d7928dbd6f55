// An exception as the value of a thunk, and how a program's own exceptions travel.
#pragma once

#include <concepts>
#include <exception>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "serial.hpp"

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

struct Failure;

/// What is being handled at this moment (call it in a catch clause), as every PE will see it: of a
/// type that travels, or a RemoteError.
Failure* current_failure();

/// Goes on throwing what is being handled at this moment, as current_failure sees it.
[[noreturn, gnu::cold]] void throw_as_value();

/// Goes on throwing what is being handled, if it says that a value was lost with a PE: that is no
/// error of a function's, and must not be made one.
[[gnu::cold]] void pass_lost();
/// What is being handled is kept, and may never be thrown again, as another one is.
[[gnu::cold]] void keep_lost() noexcept;
/// Throws what was kept.
[[noreturn, gnu::cold]] void throw_kept(const std::exception_ptr& kept);

/// Throws what a node in State::exception holds.
[[noreturn, gnu::cold]] void throw_failure(Node* node);

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

/// Made by default, then filled in. (A value may not be polymorphic: it would lose its type.)
template <class E>
concept WithContents = Serialisable<E> ||
    ((detail::UserSerialises<E> ||
      CerealKnows<E>)&&std::is_default_constructible_v<E>&& std::is_copy_constructible_v<E>);

/// Is made from its message, and holds nothing else.
template <class E>
concept OnlyMessage = (std::derived_from<E, std::runtime_error> ||
                       std::derived_from<E, std::logic_error>)&&sizeof(E) ==
                          sizeof(std::runtime_error) &&
                      std::constructible_from<E, const std::string&>;

/// The text of `e` as it was thrown, where that is in its base: its constructor may have made
/// another one of it.
template <class Base, class E>
void set_text(E& e, const std::string& text) {
  if (e.what() == text) return;
  Base& base = e;
  const Base before = base;
  base = Base(text);
  if (e.what() != text) base = before;
}

template <class E>
struct ExceptionOf : ExceptionType {
  static_assert(WithContents<E> || OnlyMessage<E>,
                "trawl: an exception travels if it has a default constructor and a serialize(), or "
                "if it is a std::runtime_error or std::logic_error that is made from its message "
                "and holds nothing else.");

  ExceptionOf() : ExceptionType(typeid(E), WithContents<E> ? &write_contents : nullptr, &remake) {}

  static void write_contents([[maybe_unused]] Packer& to,
                             [[maybe_unused]] const std::exception_ptr& error) {
    if constexpr (WithContents<E>) {
      try {
        std::rethrow_exception(error);
      } catch (const E& e) {
        heap::pack(to, e);
      }
    }
  }

  static void set_text([[maybe_unused]] E& e, [[maybe_unused]] const std::string& text) {
    if constexpr (std::derived_from<E, std::runtime_error>)
      heap::set_text<std::runtime_error>(e, text);
    else if constexpr (std::derived_from<E, std::logic_error>)
      heap::set_text<std::logic_error>(e, text);
  }

  static std::exception_ptr remake([[maybe_unused]] const std::string& message,
                                   [[maybe_unused]] Unpacker& contents) {
    if constexpr (WithContents<E>) {
      E e;
      heap::unpack(contents, e);
      set_text(e, message);
      return std::make_exception_ptr(std::move(e));
    } else if constexpr (OnlyMessage<E>) {
      E e(message);
      set_text(e, message);
      return std::make_exception_ptr(std::move(e));
    }
  }
};

template <class E>
inline const ExceptionOf<E> exception_of;

}  // namespace trawl::heap
