#include "rts/heap/homecoming.hpp"

#include <utility>

#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

// To go through all that is known here may take a while: it is done once for many of them. Copies
// of shards that others have stay.
void Homecoming::look(GlobalAddressTable& addresses) {
  for (Node* node : addresses.known_at(from_)) {
    if (addresses.target(node).value().gone) continue;
    const auto* witness = addresses.witness(node);
    if (witness != nullptr && witness->spare)
      addresses.give_up(node);
    else
      rest_.push_back(node);
  }
}

bool Homecoming::go_on(SharedHeap& heap) {
  constexpr std::size_t most_at_once = 1'000;
  auto& addresses = heap.addresses();
  std::erase_if(asked_, [&](Node* node) { return !addresses.is_fetched(node); });
  if (!asked_.empty()) return true;
  if (rest_.empty()) look(addresses);
  while (!rest_.empty() && asked_.size() < most_at_once) {
    Node* const node = std::exchange(rest_.back(), nullptr);
    rest_.pop_back();
    const auto target = addresses.target(node);
    if (node->finished() || !target || target->at.pe != from_) continue;
    heap.fetch_early(node);
    asked_.push_back(node);
  }
  return !asked_.empty();
}

}  // namespace trawl::heap
