// A tree along which all PEs are told of something.
#pragma once

#include <cstdint>

namespace trawl::sched {

/// Calls `tell(pe)` for those whom `self` tells of what `first` was the first to know. Each PE
/// tells up to eight, so all know after a logarithmic number of messages, and nobody sends many.
/// PEs are numbered from the first on, round about. Where PEs may come (`Fabric::admits`) the first
/// tells all: not all know who there is.
template <class Tell>
void tell_others(int self, int first, int pes, bool some_may_come, Tell tell) {
  const std::int64_t told_by_each = some_may_come ? pes : 8;
  const std::int64_t place = (std::int64_t{self} - first + pes) % pes;
  const auto begin = place * told_by_each + 1;
  for (auto next = begin; next < begin + told_by_each && next < pes; ++next)
    tell(static_cast<int>((next + first) % pes));
}

}  // namespace trawl::sched
