#include "profiles/replay/routes.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include <trawl/inline/error.hpp>

namespace replay {
namespace {

/// A recording does not say by which values a thunk went. It can only have been given with the
/// arguments of a task, by who made that, or have come back with the result of a task that was
/// needed: of these ways the first is taken that is found from the end.
class Router {
 public:
  explicit Router(Graph& graph)
      : graph_(graph), of_(graph.tasks.size()), place_(graph.tasks.size()) {}

  void run() {
    look();
    find_all();
    give_places();
    write_places();
  }

 private:
  struct Origin {
    Number made_by = 0, needed_by = 0;
    std::uint64_t made_at = 0, needed_at = 0;  // ops
  };
  struct Ways {
    std::vector<Number> given, returned;  // thunks
  };
  /// More generations than that are not searched.
  static constexpr std::size_t far = 10'000;
  /// Some 50 bytes each.
  static constexpr std::size_t most_hops = 10'000'000;

  template <class Visit>
  void each_op(Visit visit) {
    for (Number task = 0; task < graph_.tasks.size(); ++task) {
      const auto& t = graph_.tasks[task];
      for (auto at = t.first; at < t.first + t.ops; ++at) visit(task, at, graph_.ops[at]);
    }
  }

  void look() {
    each_op([this](Number task, std::uint64_t at, Op op) {
      if (op.step() == Step::work) return;
      auto& origin = of_[op.task()];
      if (makes(op.step())) {
        origin.made_by = task;
        origin.made_at = at;
      }
      if (needs(op.step())) {
        origin.needed_by = task;
        origin.needed_at = at;
      }
    });
  }

  // A thunk that is made elsewhere after all may have been on the way of others: so once more.
  void find_all() {
    do {
      once_more_ = false;
      ways_.clear();
      given_.clear();
      returned_.clear();
      hops_ = 0;
      each_op([this](Number task, std::uint64_t at, Op op) {
        if (op.step() == Step::force) see_to_force(task, at, op.task());
        if (op.step() == Step::use) see_to_use(task, at, op.task());
      });
    } while (once_more_);
  }

  bool is_placed(Number thunk) const { return graph_.tasks[thunk].placing != Placing::none; }

  void see_to_force(Number task, std::uint64_t at, Number thunk) {
    if (of_[thunk].made_by != task && !find(thunk, task, at)) make_where_forced(task, at, thunk);
  }
  // Nobody is given what is made where it is forced.
  void see_to_use(Number task, std::uint64_t at, Number thunk) {
    if (!is_placed(thunk) || !find(thunk, task, at)) do_without(at);
  }

  void make_where_forced(Number task, std::uint64_t at, Number thunk) {
    graph_.ops[at] = Op(Step::eval, thunk);
    graph_.tasks[thunk].placing = Placing::none;
    auto& origin = of_[thunk];
    graph_.ops[origin.made_at] = Op::work(0);
    origin.made_by = task;
    origin.made_at = at;
    ++graph_.unrouted;
    once_more_ = true;
  }

  void do_without(std::uint64_t at) {
    graph_.ops[at] = Op::work(0);
    ++graph_.unrouted;
  }

  // From who needs it back to who made that task, until one gets it from its maker, as a result of
  // what that needs.
  bool find(Number thunk, Number task, std::uint64_t at) {
    Outwards outwards(*this, thunk);
    std::vector<Number> given;
    for (std::size_t before = 0; before < far; ++before) {
      if (const auto after = outwards.find(task, at)) {
        take(thunk, given, *after);
        return true;
      }
      if (task == graph_.root()) return false;
      given.push_back(task);
      at = of_[task].made_at;
      task = of_[task].made_by;
    }
    return false;
  }

  /// The tasks that a thunk can come to as a result: its maker, who needs that, and so on. Each has
  /// a higher number than the one before, so no more of them are looked at than are asked for.
  class Outwards {
   public:
    Outwards(const Router& router, Number thunk)
        : router_(router), next_{router.of_[thunk].made_by, router.of_[thunk].made_at} {}

    /// How many tasks it leaves on its way to this one, if it is there before that op.
    std::optional<int> find(Number task, std::uint64_t at) {
      while (next_.task <= task && seen_.size() < far) {
        seen_.push_back(next_);
        if (next_.task == router_.graph_.root()) break;
        const auto& origin = router_.of_[next_.task];
        next_ = {origin.needed_by, origin.needed_at};
      }
      const auto found =
          std::lower_bound(seen_.begin(), seen_.end(), task,
                           [](const Seen& each, Number wanted) { return each.task < wanted; });
      if (found == seen_.end() || found->task != task || found->at >= at) return std::nullopt;
      return static_cast<int>(found - seen_.begin());
    }

   private:
    struct Seen {
      Number task;
      std::uint64_t at;  // from this op on
    };
    const Router& router_;
    Seen next_;
    std::vector<Seen> seen_;
  };

  void take(Number thunk, const std::vector<Number>& given, int returned) {
    // Only what is placed is needed by several.
    const auto is_new = [&](auto& known, Number task) {
      return !is_placed(thunk) || known.insert(key(task, thunk)).second;
    };
    for (const auto task : given)
      if (is_new(given_, task)) pass(ways_[task].given, thunk);
    auto task = of_[thunk].made_by;
    for (; returned > 0; --returned, task = of_[task].needed_by)
      if (is_new(returned_, task)) pass(ways_[task].returned, thunk);
  }

  void pass(std::vector<Number>& way, Number thunk) {
    if (++hops_ > most_hops)
      throw trawl::Error(
          "its sparks go through too many tasks to those that force them: record a smaller run");
    way.push_back(thunk);
  }

  // Each task knows first what it is given, then, in this order, what it makes or gets back.
  void give_places() {
    for (Number task = 0; task < graph_.tasks.size(); ++task) {
      auto& t = graph_.tasks[task];
      Number next = 0;
      if (const auto ways = ways_.find(task); ways != ways_.end()) {
        t.passes_thunks = true;
        for (const auto thunk : ways->second.given) know(task, thunk, next++);
      }
      for (auto at = t.first; at < t.first + t.ops; ++at) {
        const Op op = graph_.ops[at];
        if (is_offered(op.step())) place_[op.task()] = next++;
        if (!needs(op.step())) continue;
        const auto ways = ways_.find(op.task());
        if (ways == ways_.end()) continue;
        graph_.passed[op.task()].place = next;
        for (const auto thunk : ways->second.returned) know(task, thunk, next++);
      }
      t.thunks = next;
    }
  }

  void write_places() {
    each_op([this](Number task, std::uint64_t at, Op op) {
      if (is_offered(op.step()) || op.step() == Step::force || op.step() == Step::use)
        graph_.ops[at] = Op(op.step(), op.task(), place(task, op.task()));
    });
    for (const auto& [task, ways] : ways_) {
      auto& passed = graph_.passed[task];
      for (const auto thunk : ways.given) passed.given.push_back(place(of_[task].made_by, thunk));
      for (const auto thunk : ways.returned) passed.returned.push_back(place(task, thunk));
    }
  }

  static std::uint64_t key(Number task, Number thunk) { return std::uint64_t{task} << 32U | thunk; }
  static bool is_offered(Step step) { return step == Step::par || step == Step::place; }
  // Where it came to first, if it comes more than once.
  void know(Number task, Number thunk, Number place) {
    known_.try_emplace(key(task, thunk), place);
  }
  Number place(Number task, Number thunk) const {
    return of_[thunk].made_by == task ? place_[thunk] : known_.at(key(task, thunk));
  }

  Graph& graph_;
  Plain<Origin> of_;
  Plain<Number> place_;  // where its maker knows it
  std::unordered_map<Number, Ways> ways_;
  std::unordered_set<std::uint64_t> given_, returned_;  // what is in ways_, of placed tasks: keys
  std::size_t hops_ = 0;                                // of all ways
  bool once_more_ = false;
  std::unordered_map<std::uint64_t, Number> known_;
};

}  // namespace

void route(Graph& graph) {
  Router(graph).run();
}

}  // namespace replay
