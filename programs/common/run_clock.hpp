// The run's clock, in a simulation the virtual one.
#pragma once

#include <cstdint>

#include <trawl/trawl.hpp>

namespace programs {

/// Seconds since `begun`, a moment of trawl::now.
inline double seconds_since(std::int64_t begun) {
  return 1e-9 * static_cast<double>(trawl::now() - begun);
}

}  // namespace programs
