#include "rts/pace.hpp"

#include <algorithm>
#include <cmath>

namespace trawl {
namespace {

constexpr Nanos enough = 50'000'000;  // the system gives time in slices of some milliseconds
// Who is taken to be slow is asked for nothing, and could not show that it no longer is.
constexpr Nanos remembered = 1'000'000'000;

}  // namespace

// Spare workers share the cores of the others.
std::uint16_t Pace::look(Nanos now, Nanos busy, Nanos processor) noexcept {
  const auto asked = std::min(busy - busy_, workers_ * (now - looked_));
  if (asked >= enough) {
    const auto got = static_cast<double>(processor - processor_) / static_cast<double>(asked);
    pace_ = of(got / share_);
  } else if (now - looked_ < remembered) {
    return pace_;
  } else {
    pace_ = balance::Load::full_pace;
  }
  looked_ = now;
  busy_ = busy;
  processor_ = processor;
  return pace_;
}

std::uint16_t Pace::of(double share) noexcept {
  constexpr double full = balance::Load::full_pace;
  return static_cast<std::uint16_t>(std::clamp(std::round(full * share), 1.0, full));
}

}  // namespace trawl
