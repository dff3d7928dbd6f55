// A value inside a node: how it comes there, and where it lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "copied.hpp"
#include "lifetime.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "references.hpp"
#include "serial.hpp"
#include "traits.hpp"

namespace trawl::heap {

/// Is a T that is given away, and could be copied, moved into its node? Its memory stays the
/// program's then, a root, until it is destroyed. So what need not be destroyed is copied, into
/// memory that dies with the node. And so is what may hold references: the last one of a list would
/// die in the last of as many collections, and what refers to itself never.
template <class T>
bool moves_in() noexcept {
  if constexpr (destructor_runs<T>)
    return !may_refer<T>();
  else
    return false;
}

/// A long plain array that lies in owned storage already: a skeleton has made it, or `numbers`.
template <class T>
bool is_long_and_owned(const T& value) noexcept {
  constexpr std::size_t is_long = 1U << 12U;  // bytes; less is copied as fast as it is looked up
  if constexpr (is_plain_array<T>::value)
    return value.size() >= is_long / sizeof(*value.data()) && is_owned(value.data());
  return false;
}

struct AsItIs {};
struct SameMemory {};

/// A value inside a node. If it was copied there its memory dies with the node, and is not scanned
/// where it is numbers.
template <class T>
struct Held {
  T value;

  Held() requires std::is_default_constructible_v<T> : value() {}

  /// An rvalue is given away.
  template <class U>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
  requires(!std::is_same_v<std::remove_cvref_t<U>, Held>) explicit Held(U&& from)
      : value(keep(std::forward<U>(from))) {}
  Held(AsItIs, T&& from) : value(std::move(from)) {}
  /// Two vectors of the same elements, in a node each: neither is ever changed or destroyed.
  Held(SameMemory, const T& from) requires(is_vector<T> && !destructor_runs<T>) : value() {
    std::memcpy(static_cast<void*>(&value), &from, sizeof from);
  }

  static constexpr Storage storage = OwnsPlainArrays<T> ? Storage::owned_plain : Storage::owned;

 private:
  template <class U>
  static T keep(U&& from) {
    if constexpr (std::is_trivially_copy_constructible_v<T> || !CanBeCopied<T>) {
      return T(std::forward<U>(from));
    } else {
      if constexpr (std::is_same_v<U, T>)
        if (moves_in<T>() || is_long_and_owned(from)) return T(std::forward<U>(from));
      if constexpr (std::is_same_v<std::remove_cvref_t<U>, T> && !OwnsPlainArrays<T> &&
                    detail::copies_by_parts<T>()) {
        T copy = [] {
          const StorageScope scope(storage);
          return T();
        }();
        copy_by_parts(std::as_const(from), copy);
        return copy;
      } else {
        const StorageScope scope(storage);
        return T(std::as_const(from));
      }
    }
  }
};

template <class T>
void unpack_held(Unpacker& from, Held<T>& held) {
  if constexpr (std::is_trivially_destructible_v<T>) {
    unpack(from, held.value);  // has no memory of its own
  } else {
    const StorageScope scope(Held<T>::storage);
    unpack(from, held.value);
  }
}

/// Where arguments or a result of these types begin in a node.
template <class... T>
inline constexpr std::size_t payload_offset = std::max({sizeof(Node::word), alignof(T)...});

}  // namespace trawl::heap
