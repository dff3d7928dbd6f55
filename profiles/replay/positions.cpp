#include "profiles/replay/positions.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace replay {
namespace {

constexpr Number nowhere = ~Number{0};

class Finder {
 public:
  explicit Finder(Graph& graph) : graph_(graph) {}

  void run() {
    number_shards();
    for (const auto& [number, skeleton] : skeletons_)
      each_needed(number, [this, skeleton = skeleton](Number other, bool) {
        ++users_[key(skeleton, other)];
      });
    for (const auto& [pair, users] : users_)
      if (users > few && users == sizes_[pair >> 32U])
        graph_.tasks[static_cast<Number>(pair)].kept = 0;
    // What a task needs has a lower number.
    for (Number number = 0; number < graph_.tasks.size(); ++number) {
      const auto skeleton = skeletons_.find(number);
      if (skeleton == skeletons_.end()) continue;
      if (const auto other = beside(number, skeleton->second); other != nowhere)
        graph_.positions.at(number) = graph_.positions.at(other);
    }
  }

 private:
  template <class Visit>
  void each_op(const Task& task, Visit visit) const {
    for (auto at = task.first; at < task.first + task.ops; ++at) visit(graph_.ops[at]);
  }

  /// By their order in what one task places.
  void number_shards() {
    std::vector<Number> shards;
    const auto end_skeleton = [&] {
      for (Number i = 0; i < shards.size(); ++i) {
        graph_.positions[shards[i]] = {i, static_cast<Number>(shards.size())};
        skeletons_[shards[i]] = static_cast<Number>(sizes_.size());
      }
      sizes_.push_back(static_cast<Number>(shards.size()));
      shards.clear();
    };
    for (const auto& task : graph_.tasks) {
      each_op(task, [&](Op op) {
        if (op.step() == Step::work) return;
        const bool placed = op.step() == Step::place;
        const bool goes_on = placed && !shards.empty() &&
                             graph_.tasks[shards.back()].site == graph_.tasks[op.task()].site;
        if (!goes_on && !shards.empty()) end_skeleton();
        if (placed) shards.push_back(op.task());
      });
      if (!shards.empty()) end_skeleton();
    }
  }

  template <class Visit>
  void each_needed(Number task, Visit visit) const {
    each_op(graph_.tasks[task], [&](Op op) {
      const bool needs = op.step() == Step::use || op.step() == Step::force;
      if (needs && skeletons_.contains(op.task())) visit(op.task(), op.step() == Step::use);
    });
  }

  /// The task where this one lies; nowhere: it is a shard of its own. What others of the skeleton
  /// need too does not count.
  Number beside(Number task, Number skeleton) const {
    Number largest = nowhere;
    Number first = nowhere;
    each_needed(task, [&](Number other, bool uses) {
      if (users_.at(key(skeleton, other)) != 1) return;
      if (first == nowhere || part(other) < part(first)) first = other;
      const auto kept = uses ? graph_.tasks[other].kept : 0;
      if (kept != 0 && (largest == nowhere || kept > graph_.tasks[largest].kept)) largest = other;
    });
    return largest != nowhere ? largest : first;
  }

  /// Which part of the shards is before it.
  double part(Number placed) const {
    const auto [index, of] = graph_.positions.at(placed);
    return static_cast<double>(index) / of;
  }

  static std::uint64_t key(Number skeleton, Number used) {
    return std::uint64_t{skeleton} << 32U | used;
  }

  static constexpr Number few = 4;

  Graph& graph_;
  std::vector<Number> sizes_;                        // of skeletons
  std::unordered_map<Number, Number> skeletons_;     // of placed tasks
  std::unordered_map<std::uint64_t, Number> users_;  // by skeleton and what is used
};

}  // namespace

void find_positions(Graph& graph) {
  Finder(graph).run();
}

}  // namespace replay
