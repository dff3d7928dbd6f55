#include "rts/life/main_clock.hpp"

#include <algorithm>
#include <cmath>

namespace trawl::life {
namespace {

constexpr double deviation_at_best = 1'000;  // ns, of a measurement
constexpr double usual_rate = 1e-4;          // of a clock that nobody corrects
constexpr double highest_rate = 5e-4;        // of one that is corrected by NTP
constexpr double change_of_rate = 1e-6;      // within a second

double square(double x) {
  return x * x;
}

}  // namespace

void MainClock::begin(Nanos offset, Nanos round_trip, bool same, Nanos now) {
  follows_ = !same;
  first_ = offset;
  least_ = round_trip;
  time_ = told_at_ = now;
  drift_drift_ = square(deviation_at_best);
  rate_rate_ = square(usual_rate);
}

// A round trip that takes longer than the least has waited, nobody knows on which way: it may be
// wrong by half of that. What the least is wrong by can't be seen, and does not change.
void MainClock::heard(Nanos sent, Nanos answered, Nanos now) {
  if (!follows_ || now <= time_) return;
  told_ = static_cast<double>(corrected(now));
  told_at_ = now;
  const auto round_trip = now - sent;
  predict(now);
  if (round_trip < least_) {  // then that holds for all that was measured before
    drift_drift_ += square(static_cast<double>(least_ - round_trip) / 2);
    least_ = round_trip;
  }
  const auto one_way = round_trip / 2;
  const auto measured = static_cast<double>(answered - (sent + one_way) - first_);
  correct(measured + rate_ * static_cast<double>(one_way),
          deviation_at_best + static_cast<double>(round_trip - least_) / 2);
}

void MainClock::predict(Nanos now) {
  const auto time = static_cast<double>(now - time_);
  time_ = now;
  drift_ += rate_ * time;
  drift_drift_ += time * (2 * drift_rate_ + time * rate_rate_);
  drift_rate_ += time * rate_rate_;
  rate_rate_ += square(change_of_rate) * time * 1e-9;
}

void MainClock::correct(double measured, double deviation) {
  const auto sum = drift_drift_ + square(deviation);
  const auto of_drift = drift_drift_ / sum;
  const auto of_rate = drift_rate_ / sum;
  const auto surprise = measured - drift_;
  drift_ += of_drift * surprise;
  rate_ = std::clamp(rate_ + of_rate * surprise, -highest_rate, highest_rate);
  rate_rate_ -= of_rate * drift_rate_;
  drift_rate_ *= 1 - of_drift;
  drift_drift_ *= 1 - of_drift;
}

Nanos MainClock::corrected(Nanos now) const noexcept {
  const auto most = most_correction * static_cast<double>(std::max<Nanos>(now - told_at_, 0));
  const auto drift = drift_ + rate_ * static_cast<double>(now - time_);
  return std::llround(std::clamp(drift, told_ - most, told_ + most));
}

}  // namespace trawl::life
