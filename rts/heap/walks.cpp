#include "rts/heap/walks.hpp"

#include <algorithm>
#include <span>

namespace trawl::heap {

Walk* Walks::find(std::uint32_t pe, std::uint64_t slot) {
  for (Walk& walk : std::span(walks_).first(begun_)) {
    if (walk.pe != pe || walk.rest.empty() || slot < walk.lowest || slot > walk.highest) continue;
    // A packet was written breadth first: who goes depth first begins in the middle of what it left
    // out, and comes to the beginning of that at last. Who goes any other way finds no order in it.
    const auto found = std::find(walk.rest.rbegin(), walk.rest.rend(), slot);
    if (found == walk.rest.rend()) continue;
    const bool expected = found == walk.rest.rbegin();
    std::rotate(walk.rest.begin(), found.base(), walk.rest.end());
    walk.rest.pop_back();
    walk.in_order = expected ? walk.in_order + 1 : 0;
    walk.used = ++used_;
    return &walk;
  }
  return nullptr;
}

void Walks::left(Walk* of, std::uint32_t pe, const Walk::Slots& slots) {
  if (slots.empty()) return;
  if (of == nullptr) {
    of = &*std::min_element(walks_.begin(), walks_.end(),
                            [](const Walk& a, const Walk& b) { return a.used < b.used; });
    begun_ = std::max(begun_, static_cast<std::size_t>(of - walks_.data()) + 1);
    of->rest.clear();
    of->pe = pe;
    of->in_order = 0;
    of->branches = false;
    of->used = ++used_;
  }
  const auto [lowest, highest] = std::minmax_element(slots.begin(), slots.end());
  const bool first = of->rest.empty();
  of->lowest = first ? *lowest : std::min(of->lowest, *lowest);
  of->highest = first ? *highest : std::max(of->highest, *highest);
  of->branches = of->branches || slots.size() > 1;
  of->rest.insert(of->rest.end(), slots.rbegin(), slots.rend());
  if (of->rest.size() > most_rest) of->rest.erase(of->rest.begin(), of->rest.end() - most_rest);
}

}  // namespace trawl::heap
