#include "rts/recover/alive.hpp"

namespace trawl::recover {

Alive::Alive(int self, int pes, Nanos silence)
    : self_(self), silence_(silence), heard_(self == 0 ? static_cast<std::size_t>(pes) : 1) {}

std::vector<int> Alive::to_ping(Nanos now) {
  if (now < next_beat_) return {};
  next_beat_ = now + silence_ / 8;
  std::vector<int> pes;
  for (int pe = 0; pe < static_cast<int>(heard_.size()); ++pe)
    if (watches(pe) && heard_[static_cast<std::size_t>(pe)] != never) pes.push_back(pe);
  return pes;
}

std::optional<int> Alive::lost(Nanos now) const {
  for (int pe = 0; pe < static_cast<int>(heard_.size()); ++pe) {
    const auto heard = heard_[static_cast<std::size_t>(pe)];
    if (watches(pe) && heard != never && now - heard > silence_) return pe;
  }
  return std::nullopt;
}

}  // namespace trawl::recover
