// A clock that is read more often than the system's can be.
#pragma once

#include <cstdint>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// Steady, in nanoseconds from any moment on. The processor's own counter, where it goes at one
/// pace on all cores: half of what the system's clock takes, and of another zero. Else that clock.
class TickClock {
 public:
  /// Measures the counter's pace, for 1 ms.
  TickClock();

  Nanos now() const noexcept;

 private:
  double nanos_per_tick_ = 0;  // 0: there is no such counter
};

}  // namespace trawl
