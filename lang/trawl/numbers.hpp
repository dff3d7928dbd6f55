// Long arrays of numbers that become values as they are.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/inline/memory.hpp>
#include <trawl/inline/traits.hpp>

namespace trawl {

namespace detail {

/// Of numbers that nobody has written yet. (A vector's own constructors and `resize` write zeros.)
template <class T>
struct Unwritten : std::vector<T> {
  explicit Unwritten(std::size_t count) {
#ifdef __GLIBCXX__
    if constexpr (std::is_trivially_copyable_v<T>) {
      this->reserve(count);
      this->_M_impl._M_finish = this->_M_impl._M_start + count;
      return;
    }
#endif
    this->resize(count);
  }
};

template <class T>
consteval bool makes_numbers() {
  constexpr bool fits = heap::PointerFree<T> && !std::is_same_v<T, bool>;
  static_assert(fits,
                "trawl: numbers makes arrays of numbers, or of structs of them, as in "
                "numbers<double>(1000).");
  return fits;
}

template <class T, class Write>
consteval bool writes_numbers() {
  constexpr bool fits = std::is_invocable_v<Write, std::span<T>>;
  static_assert(fits,
                "trawl: what writes numbers is a function of all of them, as in "
                "numbers<double>(n, [](std::span<double> all) { ... }).");
  return fits;
}

}  // namespace detail

/// `count` zeros, or structs of numbers, in memory that dies with what refers to it, and that the
/// collector does not look into: from 4 KiB on, what a thunk gives, a Lazy is made of, or a
/// skeleton's function gives as an element, or as a shard, is moved to where it stays, where a
/// vector of the program's own making would be copied.
/// Like a Lazy it may sit anywhere but in memory from malloc and in an exception.
template <class T>
std::vector<T> numbers(std::size_t count) {
  static_cast<void>(detail::makes_numbers<T>());
  const heap::StorageScope scope(heap::Storage::owned_plain);
  return std::vector<T>(count);
}

/// The same, of what `write`, a function of a `std::span<T>`, writes there: all of them, as they
/// are not zeros before. So each is written once.
template <class T, class Write>
std::vector<T> numbers(std::size_t count, Write&& write) {
  if constexpr (detail::makes_numbers<T>() && detail::writes_numbers<T, Write>()) {
    detail::Unwritten<T> made = [count] {
      const heap::StorageScope scope(heap::Storage::owned_plain);
      return detail::Unwritten<T>(count);
    }();
    std::forward<Write>(write)(std::span<T>(made));
    return std::vector<T>(std::move(made));
  } else {
    return {};
  }
}

}  // namespace trawl
