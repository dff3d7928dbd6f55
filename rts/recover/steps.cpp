#include "rts/recover/steps.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/lineage.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/places.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::recover {
namespace {

using heap::Node;
using heap::State;

bool is_to_do(const Node* node) {
  return node->state() == State::unevaluated && node->code().step;
}

/// Those of `last` first come what they are made from.
std::vector<Node*> in_order(Node* last) {
  constexpr std::size_t most = 4096;  // of the nodes that one needs
  std::vector<Node*> steps;
  boost::unordered_flat_set<Node*> seen;
  std::vector<std::pair<Node*, bool>> next{{last, false}};
  while (!next.empty()) {
    const auto [step, is_known] = next.back();
    next.pop_back();
    if (is_known) steps.push_back(step);
    if (is_known || !is_to_do(step) || !seen.insert(step).second) continue;
    next.emplace_back(step, true);
    if (const auto needed = heap::needed_by(step, most))
      for (Node* node : *needed) next.emplace_back(node, false);
  }
  return steps;
}

class Places {
 public:
  explicit Places(sched::Host& host) : host_(host), sites_(sched::sites()) {}

  int place_of(Node* step) {
    const std::lock_guard lock(host_.lock());
    return places_[step] = by_argument(heap::first_argument_of(step));
  }

 private:
  int by_argument(Node* argument) {
    const auto next = [this] { return sites_[next_++ % sites_.size()].pe; };
    if (argument == nullptr) return next();
    if (const auto placed = places_.find(argument); placed != places_.end()) return placed->second;
    const auto& addresses = host_.shared_heap().addresses();
    const auto target = addresses.target(argument);
    return target && !target->gone ? static_cast<int>(target->at.pe) : next();
  }

  sched::Host& host_;
  std::vector<sched::Site> sites_;
  std::size_t next_ = 0;
  boost::unordered_flat_map<Node*, int> places_;
};

}  // namespace

void evaluate_steps(Node* last) {
  const auto steps = in_order(last);
  if (steps.size() < 2) return;
  Places places(sched::worker_here().host());
  for (Node* step : steps) sched::place(step, places.place_of(step));
  for (Node* step : steps) sched::demand(step);
}

}  // namespace trawl::recover
