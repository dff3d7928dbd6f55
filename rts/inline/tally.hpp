// A counter that costs its writer one instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace trawl {

/// A number with one writer at a time; anybody may read.
class Tally {
 public:
  void add(std::uint64_t n = 1) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    // g++ makes three instructions of the load and the store, and each spawn is counted.
    asm("{addq %1, %0|add %0, %1}" : "+m"(value_) : "er"(n) : "cc");
#else
    value_.store(value() + n, std::memory_order_relaxed);
#endif
  }
  void set(std::uint64_t n) noexcept {
    value_.store(n, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace trawl
