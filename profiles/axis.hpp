// The time axis, and numbers as people write them.
#pragma once

#include <string>

#include "profiles/activity.hpp"
#include "profiles/canvas.hpp"

namespace trawl::profile {

/// "1.25 ms": three digits and the unit that suits.
std::string duration(double nanos);

/// With so many digits behind the point, at most 9.
std::string fixed(double value, int decimals);

/// The smallest of 1, 2, 5, 10, 20, ... (and 0.5, 0.2, 0.1, ...) that is at least `least`, which is
/// more than 0.
double nice_step(double least);

/// The horizontal axis of a window; one pixel a bin.
class TimeAxis {
 public:
  TimeAxis(const Activity& window, double left);

  double left() const { return left_; }
  double width() const { return width_; }
  double column_of(double time) const { return left_ + (time - from_) / (to_ - from_) * width_; }

  void grid(Canvas& canvas, double top, double bottom) const;
  /// Ticks and their labels below `y`; `named` adds "time (s)".
  void draw(Canvas& canvas, double y, bool named) const;
  /// A time as precise as the axis tells it, with its unit.
  std::string name(Nanos time) const;

 private:
  struct Unit {
    double nanos;
    const char* name;
  };
  static Unit unit_for(double nanos);
  friend std::string duration(double nanos);

  template <class F>
  void each_tick(F&& f) const;

  double left_, width_;
  double from_, to_;
  double step_;  // between ticks, ns
  Unit unit_;
  int decimals_;  // of the labels
};

}  // namespace trawl::profile
