#include "profiles/replay/shares.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace replay {
namespace {

/// Of all values' ways from their makers, and numbers in sets.
constexpr std::size_t most_steps = 10'000'000;

class Sharing {
 public:
  explicit Sharing(Graph& graph) : graph_(graph), made_by_(graph.tasks.size(), graph.root()) {
    for (Number task = 0; task < graph.tasks.size(); ++task) {
      const auto& t = graph.tasks[task];
      for (auto at = t.first; at < t.first + t.ops; ++at) {
        const Op op = graph.ops[at];
        if (makes(op.step())) made_by_[op.task()] = task;
      }
    }
  }

  void share(Number value, const Plain<Reference>& references, std::size_t first,
             std::size_t last) {
    trunk_.clear();
    holders_.clear();
    std::size_t maker = 0;  // its place on the trunk
    for (auto at = first; at < last; ++at) {
      const auto task = references[at].task;
      if (at == first) {
        holders_.emplace(task, out_of_trunk);
        grow_trunk(made_by_[task]);
      } else if (!holders_.emplace(task, out_of_trunk).second) {
        maker = std::max(maker, place_above(task));
      } else {
        maker = std::max(maker, branch_off(task));
      }
      if (steps_ > most_steps) return;
    }
    std::erase_if(holders_, [&](const auto& holder) {
      return holder.second != out_of_trunk && holder.second >= maker;
    });
    for (const auto& holder : holders_) steps_ += set_of(holder.first).size();
    if (steps_ > most_steps) return;
    for (const auto& holder : holders_) give(holder.first, value);
    graph_.makes[trunk_[maker]].push_back(value);
  }

  void finish() {
    for (auto& [task, values] : graph_.makes) std::sort(values.begin(), values.end());
  }

 private:
  static constexpr std::size_t out_of_trunk = ~std::size_t{0};

  /// From the first who refers to it up to the root: the maker is one of these.
  void grow_trunk(Number task) {
    for (;; task = made_by_[task]) {
      holders_.emplace(task, trunk_.size());
      trunk_.push_back(task);
      if (task == graph_.root() || ++steps_ > most_steps) return;
    }
  }

  /// Where a way from here comes to the trunk; 0: where others have gone already.
  std::size_t branch_off(Number task) {
    for (;;) {
      task = made_by_[task];
      const auto [holder, is_new] = holders_.emplace(task, out_of_trunk);
      if (!is_new) return holder->second == out_of_trunk ? 0 : holder->second;
      ++steps_;
    }
  }

  /// A task that passes the value on was given it.
  std::size_t place_above(Number task) const {
    const auto place = holders_.at(task);
    return place == out_of_trunk ? 0 : std::min(place + 1, trunk_.size() - 1);
  }

  const Values& set_of(Number task) const { return graph_.sets[graph_.tasks[task].given]; }

  void give(Number task, Number value) {
    auto& set = graph_.tasks[task].given;
    auto more = graph_.sets[set];
    more.push_back(value);  // the greatest: they come in their order
    const auto [known, is_new] =
        sets_.emplace(std::pair{set, value}, static_cast<Number>(graph_.sets.size()));
    if (is_new) graph_.sets.push_back(std::move(more));
    set = known->second;
  }

  Graph& graph_;
  Plain<Number> made_by_;
  std::size_t steps_ = 0;
  Plain<Number> trunk_;
  std::unordered_map<Number, std::size_t> holders_;  // of this value: their places on the trunk
  std::map<std::pair<Number, Number>, Number> sets_;
};

}  // namespace

void share(Graph& graph, Plain<Reference> references) {
  if (graph.values.empty()) return;
  std::stable_sort(references.begin(), references.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
  Sharing sharing(graph);
  for (std::size_t first = 0; first < references.size();) {
    const auto value = references[first].value;
    auto last = first;
    while (last < references.size() && references[last].value == value) ++last;
    if (value < graph.values.size()) sharing.share(value, references, first, last);
    first = last;
  }
  sharing.finish();
}

}  // namespace replay
