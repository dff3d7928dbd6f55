// The clock that programs measure themselves by.
#pragma once

#include <chrono>

namespace programs {

/// Seconds since some moment.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace programs
