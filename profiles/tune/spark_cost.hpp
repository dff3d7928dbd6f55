// What a spark takes that nobody takes away, on this host.
#pragma once

namespace tune {

struct LocalCosts {
  double spawn = 0;  ///< seconds over a plain call
  double par = 0;    ///< lazy, par and force, the same
};

/// Runs Trawl in this process: once, before anything else has begun.
LocalCosts measure_local_costs();

}  // namespace tune
