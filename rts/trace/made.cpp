#include "rts/trace/made.hpp"

#include <algorithm>

namespace trawl::trace {

void Made::see(std::uint32_t code, bool call, std::uint32_t number) noexcept {
  const auto end = shares_.begin() + static_cast<std::ptrdiff_t>(size_);
  const auto found = std::find_if(shares_.begin(), end, [&](const Share& share) {
    return share.code == code && share.calls == call;
  });
  if (found == end && size_ < shares_.size()) shares_[size_++] = {code, call, 0};
  last_ = std::min(static_cast<std::size_t>(found - shares_.begin()), size_ - 1);
  shares_[last_].sparks += number - seen_;
  seen_ = number;
}

}  // namespace trawl::trace
