// Machine code that holds locks of the whole process while it runs.
#pragma once

#include <cstdint>

namespace trawl {

/// Where a library lies in memory. For signal handlers: who was stopped inside of it may hold its
/// locks.
class LockingCode {
 public:
  /// `name`: what its file is called, up to the version. Not to be made in a signal handler.
  explicit LockingCode(const char* name);

  bool contains(std::uintptr_t place) const noexcept { return begin_ <= place && place < end_; }

 private:
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace trawl
