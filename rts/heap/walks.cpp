#include "rts/heap/walks.hpp"

#include <span>

namespace trawl::heap {

// A packet was written breadth first: who goes depth first begins in the middle of what it left
// out, and comes to the beginning of that at last. Who goes any other way finds no order in it.
std::optional<bool> Walk::ask(std::uint64_t slot) {
  const auto found = std::find_if(rest.rbegin(), rest.rend(), [slot](const Stretch& each) {
    return each.next <= slot && slot < each.end;
  });
  if (found == rest.rend()) return std::nullopt;
  const Stretch before{found->next, slot};
  const bool expected = found == rest.rbegin() && before.next == slot;
  found->next = slot;
  std::rotate(rest.begin(), found.base(), rest.end());
  pass_next();
  if (before.next != before.end && rest.size() < most_stretches) rest.insert(rest.begin(), before);
  return expected;
}

void Walk::expect(const Slots& slots) {
  const auto before = rest.size();
  for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot)
    if (rest.size() > before && rest.back().next == *slot + 1)
      rest.back().next = *slot;
    else
      rest.push_back({*slot, *slot + 1});
  if (rest.size() > most_stretches) rest.erase(rest.begin(), rest.end() - most_stretches);
}

Walk* Walks::find(std::uint32_t pe, std::uint64_t slot) {
  for (Walk& walk : std::span(walks_).first(begun_)) {
    if (walk.pe != pe) continue;
    const auto expected = walk.ask(slot);
    if (!expected) continue;
    walk.in_order = *expected ? walk.in_order + 1 : 0;
    walk.used = ++used_;
    return &walk;
  }
  return nullptr;
}

Walk* Walks::left(Walk* of, std::uint32_t pe, const Walk::Slots& slots) {
  if (slots.empty()) return of;
  if (of == nullptr) {
    of = &*std::min_element(walks_.begin(), walks_.end(),
                            [](const Walk& a, const Walk& b) { return a.used < b.used; });
    begun_ = std::max(begun_, static_cast<std::size_t>(of - walks_.data()) + 1);
    *of = {};
    of->pe = pe;
    of->used = ++used_;
  }
  of->branches = of->branches || slots.size() > 1;
  of->expect(slots);
  return of;
}

}  // namespace trawl::heap
