// In which lines of a program sparks are made: where one is seen for the first time, the stack is
// looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace trawl::trace {

/// A place in the program's file (Executable::place_of) of each call on a stack, the innermost
/// first.
using StackPlaces = std::span<const std::uint32_t>;

/// Those that one worker has seen.
class Sites {
 public:
  /// `tell` is called for each new one.
  explicit Sites(std::function<void(std::uint32_t code, StackPlaces)> tell)
      : tell_(std::move(tell)) {}

  /// A spark of this code is being made; `caller` is an address in what makes it, or nullptr. The
  /// site's number: the first is 1; 0: there are too many.
  std::uint16_t see(std::uint32_t code, const void* caller) noexcept;

 private:
  struct Site {
    const void* caller = nullptr;
    std::uint32_t code = 0;
    std::uint16_t number = 0;  // 0: there is none here
  };

  std::function<void(std::uint32_t, StackPlaces)> tell_;
  std::uint16_t count_ = 0;
  std::array<Site, 256> sites_{};  // a hash table, of which most may be full
};

}  // namespace trawl::trace
