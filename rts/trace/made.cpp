#include "rts/trace/made.hpp"

#include <algorithm>
#include <span>

namespace trawl::trace {

void Made::see(std::uint32_t code, bool call, std::uint64_t number) noexcept {
  if (number <= seen_) return;
  if (const auto unseen = number - seen_ - 1; unseen != 0) {
    share_out();
    before_ = unseen;
  }
  const auto end = shares_.begin() + static_cast<std::ptrdiff_t>(size_);
  const auto found = std::find_if(
      shares_.begin(), end, [&](const One& one) { return one.code == code && one.calls == call; });
  if (found == end && size_ < shares_.size()) shares_[size_++] = {code, call};
  const auto at = std::min(static_cast<std::size_t>(found - shares_.begin()), size_ - 1);
  ++shares_[at].now;
  seen_ = number;
}

// The burst is over: its sparks, and those before it.
void Made::share_out() noexcept {
  const auto shares = std::span(shares_).first(size_);
  double all = 0;
  for (const auto& one : shares) all += one.last + one.now;
  for (auto& one : shares) {
    if (all > 0) one.sparks += static_cast<double>(before_) * (one.last + one.now) / all;
    one.sparks += one.now;
    one.last = one.now;
    one.now = 0;
  }
  before_ = 0;
}

}  // namespace trawl::trace
