// How a program's own exceptions travel.
#pragma once

#include <concepts>
#include <exception>
#include <stdexcept>
#include <string>

#include "rts/heap/failure.hpp"
#include "rts/heap/serial.hpp"

namespace trawl::heap {

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

  static std::exception_ptr remake([[maybe_unused]] const std::string& message,
                                   [[maybe_unused]] Unpacker& contents) {
    if constexpr (WithContents<E>) {
      E e;
      heap::unpack(contents, e);
      return std::make_exception_ptr(std::move(e));
    } else if constexpr (OnlyMessage<E>) {
      return std::make_exception_ptr(E(message));
    }
  }
};

template <class E>
inline const ExceptionOf<E> exception_of;

}  // namespace trawl::heap
