// Reading the memory of a PE on the same host: one copy, where a message takes four.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric {

/// The process that was to be read from is gone.
class Gone : public Error {
 public:
  using Error::Error;
};

/// Whose memory this PE can read, and who can read its own. To be used by any thread.
class Memory {
 public:
  /// Nobody's.
  Memory() = default;

  /// `processes`: by PE, 0 where memory is not shared.
  /// `willing`: by PE, whether it has found that it can read too; empty: all have.
  explicit Memory(std::vector<pid_t> processes,
                  std::vector<const std::atomic<std::uint32_t>*> willing = {})
      : processes_(std::move(processes)), willing_(std::move(willing)) {}

  /// Sharing is mutual.
  bool shared_with(int pe) const noexcept {
    const auto at = static_cast<std::size_t>(pe);
    return at < processes_.size() && processes_[at] != 0 &&
           (willing_.empty() || willing_[at]->load(std::memory_order_relaxed) != 0);
  }

  /// Copies what is at address `at` of the PE's process. Throws BadBytes if there is no such
  /// memory, Gone if its process is.
  void read(int pe, std::uint64_t at, std::span<std::byte> into) const;

 private:
  std::vector<pid_t> processes_;
  std::vector<const std::atomic<std::uint32_t>*> willing_;
};

}  // namespace trawl::fabric
