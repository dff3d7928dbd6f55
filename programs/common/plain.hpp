// Vectors of numbers that the collector does not look at, and that nobody clears first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace programs {

/// Memory that Trawl's collector doesn't look at: only for what holds no Lazy.
template <class T>
struct Unscanned {
  using value_type = T;
  Unscanned() = default;
  template <class U>
  explicit Unscanned(const Unscanned<U>&) {}

  T* allocate(std::size_t count) {
    void* memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  /// Numbers in a fresh vector are not zero, but whatever was there: they are about to be written.
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... A>
  void construct(U* at, A&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<A>(arguments)...);
  }
  friend bool operator==(Unscanned, Unscanned) { return true; }
};

/// Numbers in such memory.
template <class T>
using Plain = std::vector<T, Unscanned<T>>;

}  // namespace programs
