#include "profiles/replay/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <trawl/trawl.hpp>

#include "profiles/replay/carried.hpp"
#include "profiles/replay/longest_first.hpp"
#include "profiles/replay/placements.hpp"

namespace replay {
namespace {

Graph graph;
Scale scale;

std::uint64_t scaled(std::uint64_t bytes) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * scale.bytes));
}
std::uint64_t argument_bytes(const Task& task) {
  return scaled(task.arguments);
}
std::uint64_t result_bytes(const Task& task) {
  return scaled(task.result);
}

bool is_small(const Task& task) {
  return !task.passes_thunks && task.given == 0 && task.placing == Placing::none &&
         argument_bytes(task) <= small_arguments && result_bytes(task) <= small_result;
}

std::uint64_t run_small(Number number, const Small& arguments);
Large run_large(Number number, const Load& arguments, const std::vector<Thunk>& given,
                const std::vector<Shared>& shared);

// ---- a task ------------------------------------------------------------------------------------

class Running;

/// A call that has been spawned: it lies in a frame of Running::run.
class Spawned {
 public:
  Spawned(Number task, Spawned* below) : task_(task), below_(below) {}
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;

  Number task() const { return task_; }
  Spawned* below() const { return below_; }
  bool synced() const { return synced_; }
  void sync(Running& by) {
    synced_ = true;
    take(by);
  }

 protected:
  ~Spawned() = default;

 private:
  virtual void take(Running& by) = 0;

  Number task_;
  Spawned* below_;
  bool synced_ = false;
};

/// The shared values that a task knows: those it was given, and its own.
class Known {
 public:
  Known(const Values& numbers, std::vector<Shared> given, Number task)
      : numbers_(numbers), given_(std::move(given)) {
    const auto makes = graph.makes.find(task);
    if (makes == graph.makes.end()) return;
    own_numbers_ = &makes->second;
    for (const auto value : makes->second)
      own_.push_back(Shared(load(content_of(value), scaled(graph.values[value]))));
  }

  /// To be handed on.
  std::vector<Shared> some(const Values& wanted) const {
    std::vector<Shared> some;
    some.reserve(wanted.size());
    for (const auto value : wanted) some.push_back(get(value));
    return some;
  }

 private:
  const Shared& get(Number value) const {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), value);
    if (at != numbers_.end() && *at == value)
      return given_[static_cast<std::size_t>(at - numbers_.begin())];
    return own_[static_cast<std::size_t>(
        std::lower_bound(own_numbers_->begin(), own_numbers_->end(), value) -
        own_numbers_->begin())];
  }

  const Values& numbers_;
  std::vector<Shared> given_;
  const Values* own_numbers_ = nullptr;
  std::vector<Shared> own_;
};

class Running {
 public:
  Running(Number number, std::uint64_t sum, std::vector<Shared> shared = {})
      : number_(number),
        task_(graph.tasks[number]),
        known_(graph.sets[task_.given], std::move(shared), number),
        next_(graph.ops.data() + task_.first),
        end_(next_ + task_.ops),
        sum_(mix(sum, number)),
        thunks_(task_.thunks) {
    if (!graph.positions.empty()) count_mentions();
  }

  void give(const std::vector<Thunk>& given) {
    std::copy(given.begin(), given.end(), thunks_.begin());
  }

  std::uint64_t run() {
    run(nullptr);
    return sum_;
  }

  std::vector<Thunk> thunks_at(const std::vector<Number>& places) const {
    std::vector<Thunk> some;
    some.reserve(places.size());
    for (const auto place : places) some.push_back(thunks_[place]);
    return some;
  }

  // What a task that was needed has given.
  void take(Number, std::uint64_t sum) { sum_ = mix(sum_, sum); }
  void take(Number task, const Large& result) {
    sum_ = mix_load(mix(sum_, result.sum), result.load);
    if (!result.thunks.empty()) take_thunks(task, result);
  }

 private:
  void take_thunks(Number task, const Large& result) {
    std::copy(result.thunks.begin(), result.thunks.end(),
              thunks_.begin() + graph.passed.at(task).place);
  }

  /// Up to the end; or until the call that was spawned last is synced.
  void run(const Spawned* mine) {
    while (next_ != end_ && (mine == nullptr || !mine->synced())) {
      const Op op = *next_++;
      if (!placements_.empty() && ends_placing(op)) placements_.start(thunks_);
      switch (op.step()) {
        case Step::work:
          work(op.time());
          break;
        case Step::spawn:
          is_small(graph.tasks[op.task()]) ? spawn_small(op.task()) : spawn_large(op.task());
          break;
        case Step::sync:
          sync(op.task());
          break;
        case Step::par:
          --next_;
          par_some();
          break;
        case Step::force:
          force(op.task(), mentioned(op.place()));
          break;
        case Step::eval:
          force(op.task(), thunk(op.task()));
          break;
        case Step::place:
          place(op);
          break;
        case Step::use:
          use(mentioned(op.place()));
          break;
      }
    }
    if (!placements_.empty()) placements_.start(thunks_);
  }

  // What is placed may be needed by several: it is let go of when nothing of this is left to be
  // done. Other thunks are needed once.
  void count_mentions() {
    mentions_.resize(task_.thunks);
    for (const auto* at = next_; at != end_; ++at) {
      if (at->step() == Step::force || at->step() == Step::use) ++mentions_[at->place()];
      if (makes(at->step()) && graph.tasks[at->task()].passes_thunks)
        for (const auto place : graph.passed.at(at->task()).given) ++mentions_[place];
    }
    if (const auto passed = graph.passed.find(number_); passed != graph.passed.end())
      for (const auto place : passed->second.returned) ++mentions_[place];
  }
  Thunk mentioned(Number place) {
    const bool last = mentions_.empty() || --mentions_[place] == 0;
    return last ? std::exchange(thunks_[place], {}) : thunks_[place];
  }

  // A skeleton places all its shards at once; what is placed before work that takes long is not
  // held up by it.
  bool ends_placing(Op op) const {
    constexpr Nanos soon = 10'000;
    if (op.step() == Step::work) return op.time() >= soon;
    return op.step() != Step::place || graph.tasks[op.task()].site != placed_site_;
  }

  void work(Nanos time) {
    sum_ = mix(sum_, static_cast<std::uint64_t>(time));
    constexpr double longest = 1e18;
    trawl::work(std::llround(std::min(static_cast<double>(time) * scale.work, longest)));
  }

  template <class Call>
  class Frame final : public Spawned {
   public:
    template <class Make>
    Frame(Number task, Spawned* below, Make make) : Spawned(task, below), call_(make()) {}

   private:
    void take(Running& by) override { by.take(task(), call_.sync()); }

    Call call_;
  };

  // A call lies in the frame of its spawner, so what follows is run above that.
  template <class Make>
  void spawn(Number task, Make make) {
    Frame<decltype(make())> frame(task, spawned_, make);
    spawned_ = &frame;
    run(&frame);
    spawned_ = frame.below();
  }

  [[gnu::noinline]] void spawn_small(Number task) {
    spawn(task, [task] { return trawl::spawn<run_small>(task, small_load(task)); });
  }
  [[gnu::noinline]] void spawn_large(Number task) {
    spawn(task, [this, task] {
      return trawl::spawn<run_large>(task, load(task, argument_bytes(graph.tasks[task])),
                                     given(task), shared(task));
    });
  }

  void sync(Number task) {
    auto* spawned = spawned_;
    while (spawned->task() != task) spawned = spawned->below();
    spawned->sync(*this);
  }

  std::vector<Thunk> given(Number task) {
    if (!graph.tasks[task].passes_thunks) return {};
    const auto& places = graph.passed.at(task).given;
    if (mentions_.empty()) return thunks_at(places);
    std::vector<Thunk> some;
    some.reserve(places.size());
    for (const auto place : places) some.push_back(mentioned(place));
    return some;
  }

  std::vector<Shared> shared(Number task) const {
    return known_.some(graph.sets[graph.tasks[task].given]);
  }

  Thunk thunk(Number task) {
    Thunk made;
    if (const auto& t = graph.tasks[task]; is_small(t))
      made.small = trawl::lazy<run_small>(task, small_load(task));
    else
      made.large =
          trawl::lazy<run_large>(task, load(task, argument_bytes(t)), given(task), shared(task));
    return made;
  }

  // Many at once find room as a list only.
  void par_some() {
    constexpr std::ptrdiff_t many = 256;
    const auto* end = next_;
    while (end != end_ && end->step() == Step::par) ++end;
    std::vector<trawl::Lazy<std::uint64_t>> list;
    for (const bool is_list = end - next_ >= many; next_ != end; ++next_) {
      auto& made = thunks_[next_->place()] = thunk(next_->task());
      if (made.large)
        trawl::par(made.large);
      else if (is_list)
        list.push_back(made.small);
      else
        trawl::par(made.small);
    }
    trawl::apply(list, trawl::par_list(trawl::rseq));
  }

  void place(Op op) {
    const auto& task = graph.tasks[op.task()];
    thunks_[op.place()].large = trawl::detail::lazy_placed<run_large>(
        op.task(), load(op.task(), argument_bytes(task)), given(op.task()), shared(op.task()));
    placed_site_ = task.site;
    placements_.add(op.place(), thunks_[op.place()].large, task.placing,
                    graph.positions.at(op.task()));
  }

  // It and its data come here, if they are not here.
  void use(const Thunk& thunk) {
    const auto& result = trawl::force(thunk.large);
    sum_ = mix_load(mix(sum_, result.sum), result.load);
    sum_ = mix_load(sum_, trawl::force(result.kept));
  }

  // What was given away before its group began does not know that; and a task may have failed there
  // only because something was lost with a PE.
  void wait_for_group(Number task, const Thunk& thunk) {
    const auto shape = thunk.group ? trawl::force(thunk.group).shapes.at(thunk.in_group)
                                   : trawl::detail::Shape{.failed = true};
    sum_ = mix(sum_, shape.failed ? trawl::force(thunk.large).sum : shape.count);
    const auto passed = graph.passed.find(task);
    if (passed != graph.passed.end() && !passed->second.returned.empty())
      take_thunks(task, trawl::force(thunk.large));
  }

  void force(Number task, const Thunk& thunk) {
    if (graph.tasks[task].placing == Placing::in_group)
      wait_for_group(task, thunk);
    else if (thunk.large)
      take(task, trawl::force(thunk.large));
    else
      take(task, trawl::force(thunk.small));
  }

  Number number_;
  const Task& task_;
  Known known_;
  const Op* next_;
  const Op* end_;
  std::uint64_t sum_;
  Spawned* spawned_ = nullptr;
  std::vector<Thunk> thunks_;
  std::vector<Number> mentions_;  // of each, that are left
  Placements placements_;
  std::uint16_t placed_site_ = 0;
};

std::uint64_t run_small(Number number, const Small& arguments) {
  return Running(number, mix(arguments.front(), arguments.back())).run();
}

// A task looks at all that it was given before it begins: where it is needed is not recorded.
Large run_large(Number number, const Load& arguments, const std::vector<Thunk>& given,
                const std::vector<Shared>& shared) {
  auto sum = mix_load(0, arguments);
  for (const auto& value : shared) sum = mix_load(sum, trawl::force(value));
  Running task(number, sum, shared);
  task.give(given);
  Large result;
  result.sum = task.run();
  result.load = load(number, result_bytes(graph.tasks[number]));
  if (const auto& its = graph.tasks[number]; its.placing != Placing::none)
    result.kept = trawl::keep(kept_load(number, scaled(its.kept)));
  if (graph.tasks[number].passes_thunks)
    result.thunks = task.thunks_at(graph.passed.at(number).returned);
  return result;
}

}  // namespace

void set_graph(Graph its_graph, Scale its_scale) {
  graph = std::move(its_graph);
  scale = its_scale;
}

std::uint64_t replay_graph() {
  return Running(graph.root(), 0).run();
}

// What a task needs has a lower number.
std::uint64_t expected_sum() {
  Plain<std::uint64_t> sums(graph.tasks.size());
  for (Number number = 0; number < graph.tasks.size(); ++number) {
    const auto& task = graph.tasks[number];
    std::uint64_t sum = 0;
    if (number != graph.root())
      sum = is_small(task) ? mix(small_load(number).front(), small_load(number).back())
                           : mix_expected(0, number, argument_bytes(task));
    for (const auto value : graph.sets[task.given])
      sum = mix_expected(sum, content_of(value), scaled(graph.values[value]));
    sum = mix(sum, number);
    for (auto at = task.first; at < task.first + task.ops; ++at) {
      const Op op = graph.ops[at];
      if (op.step() == Step::work) sum = mix(sum, static_cast<std::uint64_t>(op.time()));
      const bool uses = op.step() == Step::use;
      if (needs(op.step()) || uses) {
        const auto& needed = graph.tasks[op.task()];
        const bool in_group = !uses && needed.placing == Placing::in_group;
        sum = mix(sum, sums[op.task()]);
        if (!is_small(needed) && !in_group)
          sum = mix_expected(sum, op.task(), result_bytes(needed));
        if (uses) sum = mix_expected(sum, op.task(), scaled(needed.kept));
      }
    }
    sums[number] = sum;
  }
  return sums[graph.root()];
}

Bound bound_of_graph(const Reach& reach) {
  return bound(scaled(graph, scale.work, scale.bytes), reach);
}

double longest_first_of_graph(const Reach& reach) {
  return longest_first(graph, reach) * scale.work;
}

}  // namespace replay
