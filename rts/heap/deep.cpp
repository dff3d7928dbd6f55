// What it would take many evaluations to make again, each of what the one before gave, is fetched;
// when all of a value is here, what it was made from is forgotten (rts/recover/README.md, Loops).
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/failure.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {
namespace {

constexpr std::size_t most_of_one = 512;  // nodes that are looked into
constexpr std::size_t most_at_once = 8 * most_of_one;

using Nodes = boost::unordered_flat_set<Node*>;

/// Is all that a value refers to here, evaluated, and not too much? That is `found`.
bool is_here(Node* value, Nodes& found) {
  std::vector<Node*> next{value};
  found.insert(value);
  while (!next.empty()) {
    Node* const node = next.back();
    next.pop_back();
    if (node->state() == State::exception && !is_lost(node)) continue;
    if (node->state() != State::value || found.size() > most_of_one) return false;
    if (node->code().plain_result != 0) continue;
    for (Node* below : references_of(node))
      if (found.insert(below).second) next.push_back(below);
  }
  return true;
}

}  // namespace

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
  const auto values = addresses_.values_with_origins();
  for (std::size_t i = 0, looked = 0; i < values.size() && looked < most_at_once; ++i) {
    Nodes found;
    if (is_here(values[looked_into_++ % values.size()], found))
      for (Node* node : found) addresses_.forget_origins(node);
    looked += found.size();
  }
}

}  // namespace trawl::heap
