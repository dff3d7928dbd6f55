#include "rts/recover/tallies.hpp"

namespace trawl::recover {

void Tallies::begin(std::uint32_t view, const std::vector<int>& members) {
  view_ = view;
  members_.assign(pes_, false);
  for (const int pe : members) members_[index(pe)] = true;
  for (Sums& sums : rounds_) sums = {std::vector<std::uint64_t>(pes_), members_, members.size()};
}

bool Tallies::add(int from, const Sent& sent) {
  Sums& sums = rounds_[static_cast<std::size_t>(sent.round)];
  if (sent.view != view_ || sums.missing == 0 || !sums.waits_for[index(from)]) return false;
  sums.waits_for[index(from)] = false;
  for (const auto& [pe, number] : sent.messages) sums.due[pe] += number;
  return --sums.missing == 0;
}

}  // namespace trawl::recover
