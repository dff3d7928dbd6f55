// What a thread does for which the collector has no memory.
#pragma once

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// While its thread tries for one piece of memory. First what is dead is destroyed; then, where
/// other PEs may refer to what is here, it waits for what they let go of, for four seconds at most,
/// or goes beyond the bound (MayNotWait).
class WhenFull {
 public:
  /// `destroys`: it may run destructors, which give and take memory.
  explicit WhenFull(bool destroys = true) noexcept : destroys_(destroys) {}

  ~WhenFull();
  WhenFull(const WhenFull&) = delete;
  WhenFull& operator=(const WhenFull&) = delete;

  /// False: there is nothing to be hoped for.
  bool try_again();

 private:
  bool wait() noexcept;
  bool go_beyond() noexcept;

  bool destroys_;
  bool is_beyond_ = false;  // its bound, for this one piece
  Nanos begun_ = 0;         // to wait; 0: not yet
};

}  // namespace trawl::heap
