// What a simulated thread's piece of work takes, by the host's clocks.
#pragma once

#include "rts/inline/bytes.hpp"

namespace trawl {

/// Reading the thread's own clock is slow: it is asked only where a piece may have been disturbed.
class PieceClock {
 public:
  /// Finds out what measuring adds to a piece.
  PieceClock();

  void begin() noexcept;
  /// The work since then, without what others had of the core meanwhile, and collections: their
  /// heap is that of all PEs.
  Nanos end() noexcept;

 private:
  void read_lag(Nanos now) noexcept;

  Nanos handling_;
  Nanos begun_ = 0;
  Nanos collected_ = 0;  // until then
  Nanos lag_ = 0;        // of the processor's clock behind the host's, while others had the core
  Nanos lag_read_ = 0;   // when
};

}  // namespace trawl
