// The main PE's clock, as another PE knows it: clocks of different hosts drift apart.
#pragma once

#include "rts/inline/bytes.hpp"

namespace trawl::life {

/// What is to be added to a PE's clock to get the main PE's: measured at the start, and by each
/// PONG of the main PE from then on. Pure; guarded by its PE's lock.
class MainClock {
 public:
  /// Faster than this it is not corrected, so that corrected times never go back.
  static constexpr double most_correction = 1e-3;

  /// `same`: it is this PE's own clock, whatever PONGs say; then the offset is 0 for ever.
  void begin(Nanos offset, Nanos round_trip, bool same, Nanos now);

  /// A PING of that time has been answered at that time of the main PE's clock.
  void heard(Nanos sent, Nanos answered, Nanos now);

  Nanos offset(Nanos now) const noexcept { return first_ + drift(now); }
  Nanos first_offset() const noexcept { return first_; }
  /// By how much the offset has changed since the start.
  Nanos drift(Nanos now) const noexcept { return follows_ ? corrected(now) : 0; }

 private:
  Nanos corrected(Nanos now) const noexcept;
  void predict(Nanos now);
  void correct(double measured, double deviation);

  bool follows_ = false;
  Nanos first_ = 0;
  Nanos least_ = 0;  // round trip
  // The drift believed in, and how fast it grows, at a time; and the covariances of both (Kalman).
  Nanos time_ = 0;
  double drift_ = 0;
  double rate_ = 0;
  double drift_drift_ = 0, drift_rate_ = 0, rate_rate_ = 0;
  // What is told is on its way there since then.
  Nanos told_at_ = 0;
  double told_ = 0;
};

}  // namespace trawl::life
