#include "profiles/replay/replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <trawl/trawl.hpp>

#include "profiles/replay/checksum.hpp"

namespace replay {
namespace {

Graph graph;
Scale scale;

// ---- what is carried ---------------------------------------------------------------------------

// Up to so many bytes of arguments, and a result of one number, need no memory of their own.
using Small = std::array<std::uint64_t, 5>;
constexpr std::uint64_t small_arguments = sizeof(Small) + sizeof(Number);
constexpr std::uint64_t small_result = sizeof(std::uint64_t);

using Load = std::vector<std::uint8_t>;

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
  return !task.passes_thunks && task.given == 0 && argument_bytes(task) <= small_arguments &&
         result_bytes(task) <= small_result;
}

std::uint8_t content(Number task) {
  return static_cast<std::uint8_t>(task * 37U + 1);
}
Small small_load(Number task) {
  Small load;
  load.fill(task + 1);
  return load;
}
Load load(Number task, std::uint64_t bytes) {
  return Load(bytes, content(task));
}
/// Looks at the first byte and the last.
std::uint64_t mix_load(std::uint64_t sum, const Load& load) {
  sum = mix(sum, load.size());
  return load.empty() ? sum : mix(sum, load.front() | static_cast<unsigned>(load.back()) << 8U);
}
std::uint64_t mix_expected(std::uint64_t sum, Number task, std::uint64_t bytes) {
  sum = mix(sum, bytes);
  return bytes == 0 ? sum : mix(sum, content(task) * 0x101U);
}

/// Of a value that tasks share, which a task is given or makes.
using Shared = trawl::Lazy<Load>;

/// What a shared value is made of, and so that it is not taken for a task's.
Number content_of(Number value) {
  return ~value;
}

struct Large;
/// A thunk that is a task: of the one kind or the other.
struct Thunk {
  trawl::Lazy<std::uint64_t> small;
  trawl::Lazy<Large> large;
};
/// The result of a task that is not small.
struct Large {
  std::uint64_t sum = 0;
  Load load;
  std::vector<Thunk> thunks;
};

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
      : task_(graph.tasks[number]),
        known_(graph.sets[task_.given], std::move(shared), number),
        next_(graph.ops.data() + task_.first),
        end_(next_ + task_.ops),
        sum_(mix(sum, number)),
        thunks_(task_.thunks) {}

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
    if (!result.thunks.empty())
      std::copy(result.thunks.begin(), result.thunks.end(),
                thunks_.begin() + graph.passed.at(task).place);
  }

 private:
  /// Up to the end; or until the call that was spawned last is synced.
  void run(const Spawned* mine) {
    while (next_ != end_ && (mine == nullptr || !mine->synced())) {
      const Op op = *next_++;
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
          force(op.task(), std::exchange(thunks_[op.place()], {}));
          break;
        case Step::eval:
          force(op.task(), thunk(op.task()));
          break;
      }
    }
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

  std::vector<Thunk> given(Number task) const {
    if (!graph.tasks[task].passes_thunks) return {};
    return thunks_at(graph.passed.at(task).given);
  }

  std::vector<Shared> shared(Number task) const {
    return known_.some(graph.sets[graph.tasks[task].given]);
  }

  Thunk thunk(Number task) const {
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

  void force(Number task, const Thunk& thunk) {
    if (thunk.large)
      take(task, trawl::force(thunk.large));
    else
      take(task, trawl::force(thunk.small));
  }

  const Task& task_;
  Known known_;
  const Op* next_;
  const Op* end_;
  std::uint64_t sum_;
  Spawned* spawned_ = nullptr;
  std::vector<Thunk> thunks_;
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
      if (op.step() == Step::sync || op.step() == Step::force || op.step() == Step::eval) {
        const auto& needed = graph.tasks[op.task()];
        sum = mix(sum, sums[op.task()]);
        if (!is_small(needed)) sum = mix_expected(sum, op.task(), result_bytes(needed));
      }
    }
    sums[number] = sum;
  }
  return sums[graph.root()];
}

Bound bound_of_graph(const Reach& reach) {
  return bound(scaled(graph, scale.work, scale.bytes), reach);
}

}  // namespace replay
