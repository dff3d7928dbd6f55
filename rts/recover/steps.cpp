#include "rts/recover/steps.hpp"

#include <algorithm>
#include <map>
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

bool is_recipe(sched::Host& host, Node* node) {
  return host.shared_heap().recipes().place_of(node) >= 0;
}

/// Of `last` and what it is made from, first what others are made from. To look at a thunk's
/// arguments it is claimed: under the lock, as who waits for it counts on.
std::vector<Node*> in_order(Node* last, sched::Host& host) {
  constexpr std::size_t most = 4096;  // of the nodes that one needs
  std::vector<Node*> steps;
  boost::unordered_flat_set<Node*> seen;
  std::vector<std::pair<Node*, bool>> next{{last, false}};
  while (!next.empty()) {
    const auto [step, is_known] = next.back();
    next.pop_back();
    if (is_known) steps.push_back(step);
    const std::lock_guard lock(host.lock());
    if (is_known || step->state() != State::unevaluated || !is_recipe(host, step) ||
        !seen.insert(step).second)
      continue;
    next.emplace_back(step, true);
    if (const auto needed = heap::needed_by(step, most))
      for (Node* node : *needed) next.emplace_back(node, false);
  }
  return steps;
}

/// Sends steps where they were placed before, several at once.
class Sender {
 public:
  explicit Sender(sched::Host& host) : host_(host), sites_(sched::sites()), group_of_(grouping()) {}

  /// What they are made from has been sent before. Now and then waits for what was sent before the
  /// last: all at once they would mostly wait for each other.
  void send(Node* step) {
    constexpr std::size_t enough = 32;  // for each PE
    const int pe = places_[step] = place_of(step);
    kept_[pe].push_back(step);
    if (++count_ % (enough * sites_.size()) == 0) send_kept();
  }
  void send_kept() {
    const auto before = std::exchange(under_way_, {});
    for (auto& [pe, kept] : kept_) {
      if (kept.empty()) continue;
      Node* const group = group_of_(kept);
      sched::place(group, pe);
      under_way_.push_back(group);
      kept.clear();
    }
    for (Node* group : before) sched::demand(group);
  }

 private:
  heap::Recipes::GroupOf grouping() {
    const std::lock_guard lock(host_.lock());
    return host_.shared_heap().recipes().group_of();
  }

  int place_of(Node* step) {
    const std::lock_guard lock(host_.lock());
    const int before = host_.shared_heap().recipes().place_of(step);
    const bool lives = std::ranges::any_of(
        sites_, [before](const sched::Site& site) { return site.pe == before; });
    return lives ? before : by_argument(heap::first_argument_of(step));
  }

  int by_argument(Node* argument) {
    const auto next = [this] {
      return sites_[host_.shared_heap().recipes().next_turn() % sites_.size()].pe;
    };
    if (argument == nullptr) return next();
    if (const auto placed = places_.find(argument); placed != places_.end()) return placed->second;
    const auto& addresses = host_.shared_heap().addresses();
    const auto target = addresses.target(argument);
    return target && !target->gone ? static_cast<int>(target->at.pe) : next();
  }

  sched::Host& host_;
  std::vector<sched::Site> sites_;
  heap::Recipes::GroupOf group_of_;
  boost::unordered_flat_map<Node*, int> places_;
  std::map<int, std::vector<Node*>> kept_;
  std::vector<Node*> under_way_;
  std::size_t count_ = 0;
};

}  // namespace

void evaluate_steps(Node* last) {
  auto& host = sched::worker_here().host();
  const auto steps = in_order(last, host);
  if (steps.size() < 2) return;
  Sender sender(host);
  for (Node* step : steps) sender.send(step);
  sender.send_kept();
}

}  // namespace trawl::recover
