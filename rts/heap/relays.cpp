#include "rts/heap/relays.hpp"

#include <algorithm>

namespace trawl::heap {

const Holder* Relays::holder(std::uint64_t slot, std::uint32_t cluster) const {
  const auto found = holders_.find(slot);
  if (found == holders_.end()) return nullptr;
  const auto& entries = found->second;
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [cluster](const Entry& each) { return each.cluster == cluster; });
  return entry == entries.end() ? nullptr : &entry->holder;
}

void Relays::note(std::uint64_t slot, std::uint32_t cluster, const Holder& holder) {
  auto& entries = holders_[slot];
  const auto old = std::find_if(entries.begin(), entries.end(),
                                [cluster](const Entry& each) { return each.cluster == cluster; });
  if (old != entries.end()) entries.erase(old);
  entries.push_back({cluster, holder});
  if (holders_.size() < tidy_at_) return;
  erase_if(holders_, [this](const auto& each) { return !lives_(each.first); });
  tidy_at_ = std::max<std::size_t>(64, 2 * holders_.size());
}

void Relays::forget(std::uint64_t slot, std::uint32_t pe) {
  const auto found = holders_.find(slot);
  if (found == holders_.end()) return;
  auto& entries = found->second;
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [pe](const Entry& each) { return each.holder.pe == pe; }),
                entries.end());
  if (entries.empty()) holders_.erase(found);
}

}  // namespace trawl::heap
