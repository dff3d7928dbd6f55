// All that a value refers to comes here, so that this PE alone can give it to others.
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/failure.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/places.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {
namespace {

/// It is here, or on its way.
bool comes(heap::Node* node, bool evaluated) {
  const auto state = node->state();
  if (state == heap::State::value || state == heap::State::exception) return true;
  if (state != heap::State::fetch_me && state != heap::State::fetching) return false;
  if (!evaluated) {
    auto& host = worker_here().host();
    const std::lock_guard lock(host.lock());
    if (!host.shared_heap().addresses().known_evaluated(node)) return false;
  }
  fetch(node);
  return true;
}

// What they were made from is not needed any more.
void forget_origins(const boost::unordered_flat_set<heap::Node*>& nodes) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  for (auto* node : nodes) host.shared_heap().addresses().forget_origins(node);
}

}  // namespace

bool gather(heap::Node* node, bool all_evaluated) {
  std::vector<heap::Node*> found{node};
  boost::unordered_flat_set<heap::Node*> seen{node};
  while (!found.empty()) {
    std::vector<heap::Node*> next;
    for (auto* each : found) {
      demand(each);
      if (each->state() != heap::State::value) {
        if (heap::is_lost(each)) return false;
        continue;
      }
      for (auto* below : heap::references_of(each))
        if (seen.insert(below).second) next.push_back(below);
    }
    for (auto* each : next)
      if (!comes(each, all_evaluated)) return false;
    found = std::move(next);
  }
  forget_origins(seen);
  return true;
}

}  // namespace trawl::sched
