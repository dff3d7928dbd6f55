// What differences by seed say of their mean.
#pragma once

#include <span>

namespace tune {

/// Of a gain: 0.05 is a twentieth of the time, less than 0 is a loss.
struct Interval {
  double low = 0, mean = 0, high = 0;
};

/// By Student's t, of logarithms of times with over times without, seed by seed. An infinite one
/// (a run that was given up) is a loss of all. Two at least.
Interval gain(std::span<const double> logarithms, double confidence);

}  // namespace tune
