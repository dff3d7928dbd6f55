// What it would take many evaluations to make again, each of what the one before gave, is fetched;
// when all of a value is here, what it was made from is forgotten (rts/recover/README.md, Loops).
#include "rts/heap/global_address_table.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {
namespace {

constexpr std::size_t most_of_one = 512;  // nodes that are looked into
constexpr std::size_t most_at_once = 8 * most_of_one;

}  // namespace

// ---- how deep it is

void GlobalAddressTable::forget_lineage(Node* value) noexcept {
  Witness* known = is_named(value) ? witness(value) : nullptr;
  if (known == nullptr) return;
  if (known->lineage != nullptr) known->depth = known->lineage->depth;
  known->comes_from(nullptr, 0);
}

void GlobalAddressTable::forget_origins(Node* node) noexcept {
  Witness* known = is_named(node) ? witness(node) : nullptr;
  if (known == nullptr) return;
  known->comes_from(nullptr, 0);
  known->depth = 0;
}

std::vector<Node*> GlobalAddressTable::values_with_depth() const {
  std::vector<Node*> all;
  for (const auto& [key, proxy] : proxy_of_) {
    auto* node = static_cast<Node*>(proxy->node.get());
    if (node == nullptr || node->state() != State::value) continue;
    const Witness* known = proxy->witness();
    if (known != nullptr && (known->depth != 0 || known->lineage != nullptr)) all.push_back(node);
  }
  return all;
}

std::uint32_t GlobalAddressTable::depth_of(Node* node) const {
  const Witness* known = is_named(node) ? witness(node) : nullptr;
  if (known == nullptr) return 0;
  return known->lineage != nullptr ? known->lineage->depth : known->depth;
}

// ---- what is done about it

// Without room the run would end of what it keeps for the case that a PE dies.
void SharedHeap::fetch_deep(const Unpacked& unpacked) {
  if (unpacked.deep.empty()) return;
  const bool room = recovery_.has_room();
  for (Node* node : unpacked.deep) {
    if (node->state() != State::fetch_me || !can_be_sought(node)) continue;
    if (room)
      fetch(node);
    else
      addresses_.forget_origins(node);
  }
}

// A few at a time: the next time the others.
void SharedHeap::forget_what_made_those_here() {
  if (!addresses_.recovers()) return;
  const auto values = addresses_.values_with_depth();
  for (std::size_t i = 0, looked = 0; i < values.size() && looked < most_at_once; ++i) {
    const auto here = all_below(values[looked_into_++ % values.size()], most_of_one, looked);
    if (!here) continue;
    for (Node* node : *here) addresses_.forget_origins(node);
  }
}

}  // namespace trawl::heap
