#include "rts/pace.hpp"

#include <algorithm>
#include <cmath>

namespace trawl {
namespace {

constexpr Nanos enough = 50'000'000;  // the system gives time in slices of some milliseconds

}  // namespace

std::uint16_t Pace::look(Nanos busy, Nanos processor) noexcept {
  const auto asked = busy - busy_;
  if (asked < enough) return pace_;
  const auto got = static_cast<double>(processor - processor_) / static_cast<double>(asked);
  pace_ = of(got / share_);
  busy_ = busy;
  processor_ = processor;
  return pace_;
}

std::uint16_t Pace::of(double share) noexcept {
  constexpr double full = balance::Load::full_pace;
  return static_cast<std::uint16_t>(std::clamp(std::round(full * share), 1.0, full));
}

}  // namespace trawl
