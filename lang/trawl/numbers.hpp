// Long arrays of numbers that become values as they are.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <trawl/inline/memory.hpp>
#include <trawl/inline/traits.hpp>

namespace trawl {

/// `count` zeros, or structs of numbers, in memory that dies with what refers to it, and that the
/// collector does not look into: from 4 KiB on, what a thunk gives, a Lazy is made of, or a
/// skeleton's function gives as an element, or as a shard, is moved to where it stays, where a
/// vector of the program's own making would be copied.
/// Like a Lazy it may sit anywhere but in memory from malloc and in an exception.
template <class T>
std::vector<T> numbers(std::size_t count) {
  static_assert(heap::PointerFree<T> && !std::is_same_v<T, bool>,
                "trawl: numbers makes arrays of numbers, or of structs of them, as in "
                "numbers<double>(1000).");
  const heap::StorageScope scope(heap::Storage::owned_plain);
  return std::vector<T>(count);
}

}  // namespace trawl
