// A tree along which all PEs are told of something.
#pragma once

#include <cstdint>

namespace trawl::sched {

/// Calls `tell(pe)` for those whom `self` tells of what `first` was the first to know. Each PE
/// tells up to eight, so all know after a logarithmic number of messages, and nobody sends many;
/// where one of these is gone, those that it would have told. PEs are numbered from the first on,
/// round about. Where PEs may come (`Fabric::admits`) the first tells all: not all know who there
/// is.
template <class Gone, class Tell>
void tell_others(int self, int first, int pes, bool some_may_come, const Gone& is_gone,
                 const Tell& tell) {
  const std::int64_t told_by_each = some_may_come ? pes : 8;
  const auto tell_those_of = [&](const auto& again, std::int64_t place) -> void {
    const auto begin = place * told_by_each + 1;
    for (auto next = begin; next < begin + told_by_each && next < pes; ++next) {
      const auto pe = static_cast<int>((next + first) % pes);
      if (is_gone(pe))
        again(again, next);
      else
        tell(pe);
    }
  };
  tell_those_of(tell_those_of, (std::int64_t{self} - first + pes) % pes);
}

}  // namespace trawl::sched
