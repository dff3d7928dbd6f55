#include "rts/inline/run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/base/standard_files.hpp"
#include "rts/fabric/fragments.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/fabric/process_end.hpp"
#include "rts/fabric/rehearsal.hpp"
#include "rts/fabric/ucx.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/failure.hpp"
#include "rts/host/memory.hpp"
#include "rts/host/share.hpp"
#include "rts/host/throttle.hpp"
#include "rts/host/use_by_others.hpp"
#include "rts/inline/error.hpp"
#include "rts/leave_signals.hpp"
#include "rts/meeting.hpp"
#include "rts/options/options.hpp"
#include "rts/pe.hpp"
#include "rts/program.hpp"
#include "rts/progress/progress_thread.hpp"
#include "rts/sched/fatal.hpp"
#include "rts/simulated_run.hpp"

namespace trawl {
namespace {

// The collector is the process's.
constinit Pe* collected = nullptr;

void note_collection(bool begins) {
  collected->note_collection(begins);
}

constexpr Nanos patience_with_workers = 1'000'000'000;
constexpr auto called_twice = "trawl::run was called a second time; call it once, in main";
constexpr double share_of_heap = 0.75;  // of a PE's memory: there are messages and stacks beside it

/// The PE of this process with its threads.
class Process {
 public:
  Process(Program program, fabric::Joined joined)
      : program_(std::move(program)),
        joined_(std::move(joined)),
        begun_(joined_.fabric->now()),
        host_share_(share_of_host(joined_.place.pes_on_host, joined_.place.processes)) {
    watch_for_fatal_ends(joined_.fabric->self(), host_name());
    if (program_.asks()) {
      program_.options.trace.clear();
      program_.options.record.clear();
    }
    try {
      if (!program_.options.grid.empty() && !program_.asks()) rehearse();
      if (is_main()) program_.open_stats_file();
      make_pe();
    } catch (const Error& e) {
      be_in_trouble(e);
    } catch (const std::bad_alloc&) {
      be_in_trouble(Error(
          "there is not the memory to begin with: give --trawl:workers, --trawl:spark-pool or "
          "--trawl:stack-size less",
          1));
    }
    take_leave_signals(*pe_);
    collected = pe_.get();
    heap::set_collection_hook(&note_collection);
  }

  /// Returns on the main PE only, when nothing runs here any more.
  int run(const Root& root) {
    progress::wake_up_on_time();
    auto& worker = pe_->workers()[0];
    worker.attach(std::make_unique<sched::Fiber>());
    if (program_.trouble) pe_->fail(program_.trouble->what(), program_.trouble->exit_code());
    while (!pe_->joined() && !pe_->stopping()) poll_and_wait();
    if (!pe_->stopping() && program_.asks()) answer();
    if (!pe_->stopping()) work(worker, root);
    see_it_out(0);
    progress_thread_.reset();
    sched::set_this_worker(nullptr);
    end_is_meant();
    returned_ = true;
    return code_;
  }

  bool returned() const { return returned_; }
  /// False in a child that the program has forked.
  bool is_this_one() const { return pid_ == getpid(); }

  /// The program called run() once more: ends it.
  [[noreturn]] void called_again() {
    if (returned_) {
      complain(called_twice);
      std::exit(1);
    }
    pe_->fail("trawl::run was called on PE " + std::to_string(pe_->self()) +
                  " while a run goes on; call it once, in main",
              1);
    while (true) poll_and_wait();
  }

  /// exit() was called. In the root, or what that evaluates itself, it ends the run with its code;
  /// returns when nothing else runs here any more.
  void exit_called(int code) {
    if (returned_) return;
    heap::stop_collecting();
    if (!is_main() || is_in_spark()) {
      pe_->fail("a function called exit() on PE " + std::to_string(pe_->self()) +
                    "; let it throw an exception instead",
                1);
      while (true) poll_and_wait();
    }
    if (heap::handles_lost()) heap::note_lost_ignored();
    if (pe_->stopping() || exiting_.exchange(true)) stay_away();
    pe_->finish(code);
    see_it_out(1);  // but the one that called it
    progress_thread_.reset();
    end_is_meant();
    returned_ = true;
  }

 private:
  bool is_main() const { return joined_.fabric->self() == 0; }

  /// What the root evaluates itself is the root's.
  static bool is_in_spark() {
    const auto* worker = sched::current_worker();
    return worker != nullptr && worker->running() && worker->running_code() != nullptr;
  }

  // A PE that can't do as it is told joins the others all the same, to tell them.
  void be_in_trouble(const Error& trouble) {
    program_.trouble = trouble;
    program_.options = Options();
    make_pe();
  }

  void answer() {
    if (is_main()) {
      program_.answer();
      pe_->finish(0);
    }
    while (!pe_->stopping()) poll_and_wait();
  }

  void rehearse() {
    auto grid = fabric::read_grid_file(program_.options.grid);
    if (!all_have_our_grid(joined_)) return;
    if (!grid.changes.empty())
      throw Error(
          "the grid has joins or deaths, which can only be simulated: start and kill PEs of this "
          "run",
          2);
    if (joined_.fabric->size() == 1) joined_.board = own_board_;
    auto rehearsal =
        std::make_unique<fabric::Rehearsal>(joined_.fabric, std::move(grid), joined_.board);
    rehearsal_ = rehearsal.get();
    const auto& cluster = rehearsal_->cluster();
    told_share_ = cluster.speed_on(cluster.speed_is_absolute ? measure_speed() : 1);
    joined_.fabric = std::move(rehearsal);
    if (told_share_ * rehearsal_->best_share() > 1)
      throw Error("the grid has PEs that are faster than this machine: they can only be simulated",
                  2);
  }

  void make_pe() {
    pe_ = std::make_unique<Pe>(setup(), *joined_.fabric,
                               [this](const life::Outcome& outcome) { over(outcome); });
  }

  Pe::Setup setup() {
    const auto& options = program_.options;
    Pe::Setup setup;
    setup.options = options;
    setup.program = program_.name();
    setup.shown = is_main() && !program_.asks();
    const int workers = options.record.empty() ? host_share_.workers(most_workers) : 1;
    setup.workers = options.workers > 0 ? options.workers : workers;
    setup.facts.host = host_name();
    setup.facts.cluster = options.cluster.empty() ? setup.facts.host : options.cluster;
    setup.facts.flags_digest = program_.trouble ? 0 : flags_digest(options, program_.args());
    if (rehearsal_ != nullptr)
      act_as_told(setup);
    else
      setup.facts.speed =
          options.speed > 0 ? options.speed : host_share_.speed(measure_speed(), setup.workers);
    setup.facts.cores = setup.workers;
    const auto bound =
        options.heap_max > 0 ? static_cast<double>(options.heap_max) : host_share_.memory;
    heap::let_heap_grow(static_cast<std::size_t>(bound * share_of_heap));
    setup.facts.memory = static_cast<std::int64_t>(bound * share_of_heap);
    setup.memory = [bound] {
      return memory_in_use(bound, heap::collector_statistics().free_bytes);
    };
    if (options.yield > 0)
      setup.owner_is_back = [owner = OwnerIsBack(joined_.place.processes, options.yield)](
                                Nanos now) mutable { return owner.look(now); };
    setup.share = host_share_.of_core(setup.workers);
    if (rehearsal_ != nullptr) setup.share = std::min(setup.share, told_share_);
    const auto seed =
        options.seed != 0 ? options.seed : static_cast<std::uint64_t>(joined_.fabric->now());
    setup.seed = seed + static_cast<std::uint64_t>(joined_.fabric->self()) * 7919;
    return setup;
  }

  void act_as_told(Pe::Setup& setup) {
    const auto& cluster = rehearsal_->cluster();
    if (setup.options.workers == 0) setup.workers = cluster.workers;
    setup.facts.cluster = cluster.name;
    setup.facts.speed = cluster.speed;
    // Signs of life may be behind all of that.
    const auto latest = rehearsal_->longest(fabric::Fragmenter::most_unsent_of_all);
    setup.options.silence += static_cast<double>(latest) * 1e-9;
    setup.throttle = [this](sched::Worker& worker) { return make_throttle(worker); };
  }

  void work(sched::Worker& worker, const Root& root) {
    auto& workers = pe_->workers();
    const bool spins = host_share_.has_room_for(static_cast<int>(workers.size()));
    working_ = 1;
    start_threads(spins);
    if (is_main() && !pe_->stopping()) pe_->start_root([&] { return program_.call(root); });
    begin_work(worker, spins);
  }

  void start_threads(bool spins) try {
    auto& workers = pe_->workers();
    for (std::size_t i = 1; i < workers.size(); ++i) {
      std::thread([this, &other = workers[i], spins] { run_worker(other, spins); }).detach();
      ++working_;
    }
    progress_thread_.emplace(workers);
  } catch (const std::system_error& e) {
    pe_->fail("PE " + std::to_string(pe_->self()) + " on " + host_name() +
                  " cannot start a thread (" + e.what() +
                  "): see ulimit -u, and the control group's pids.max",
              1);
  }

  /// Only while it runs a thread of the program, and holds no lock that others wait for.
  std::unique_ptr<Throttle> make_throttle(sched::Worker& worker) {
    if (rehearsal_ == nullptr) return nullptr;
    const auto may_sleep = [this, &worker] {
      if (!worker.running() || !pe_->lock().try_lock()) return false;
      pe_->lock().unlock();
      return true;
    };
    const auto share = [this] { return told_share_ * rehearsal_->pace().share / crowd(); };
    return std::make_unique<Throttle>(Throttle::Hooks{share, may_sleep});
  }

  /// Spare workers share the cores of the others.
  double crowd() const {
    const auto& workers = pe_->workers();
    return std::max(static_cast<double>(workers.running()) / static_cast<double>(workers.size()),
                    1.0);
  }

  void run_worker(sched::Worker& worker, bool spins) {
    heap::mutator();
    progress::wake_up_on_time();
    worker.attach(std::make_unique<sched::Fiber>());
    begin_work(worker, spins);
    see_it_out(0);
    stay_away();
  }

  void begin_work(sched::Worker& worker, bool spins) {
    sched::catch_stack_overflow();
    try {
      const auto throttle = make_throttle(worker);
      heap::clear_finished_calls<4096>();
      worker.loop(spins);
    } catch (const Error& e) {  // no memory for another stack
      worker.host().fail(e.what(), e.exit_code());
    } catch (const std::bad_alloc&) {
      worker.host().fail_without_memory();
    }
    --working_;
    pe_->workers().wake_all();
  }

  /// Waits until the run is over and no more workers than these are busy. Every worker does, as any
  /// of the others may be inside a long function.
  void see_it_out(std::size_t busy) {
    const auto give_up = joined_.fabric->now() + patience_with_workers;
    while (!over_ || working_ + pe_->workers().busy_besides() > busy) {
      if (exiting_ && busy == 0) stay_away();
      if (over_ && joined_.fabric->now() >= give_up) abandon_workers();
      poll_and_wait();
    }
  }

  [[noreturn]] void abandon_workers() {
    const std::lock_guard lock(pe_->lock());
    complain(
        "a worker is still inside a function of the program a second after its end: the "
        "process ends without it, and what static destructors would have written is lost");
    leave(code_);
  }

  [[noreturn]] static void leave(int code) {
    end_is_meant();
    fabric::leave(code);
  }

  [[noreturn]] static void stay_away() {
    while (true) pause();
  }

  void poll_and_wait() {
    auto& workers = pe_->workers();
    const auto epoch = workers.events().epoch();
    pe_->poll(sched::this_worker);
    workers.events().park_worker(0, epoch, progress::longest_park(workers.situation()));
  }

  /// With the PE's lock held, on any thread. A run that failed, and any PE but the main one, ends
  /// here, whatever its workers are inside of.
  void over(life::Outcome outcome) {
    // Who ends the main PE has told this one before.
    if (outcome.given_up && told_to_leave()) outcome.error.clear();
    code_ = program_.report(outcome, joined_.fabric->now() - begun_,
                            pe_->log() != nullptr ? pe_->log()->trouble() : "",
                            pe_->recording_trouble());
    if (outcome.code == lost_with_a_pe && !outcome.error.empty())
      fabric::tell_launcher(fabric::News::lost_with_a_pe);
    if (!is_main() || !outcome.error.empty()) leave(code_);
    over_ = true;
    pe_->workers().wake_all();
  }

  Program program_;
  fabric::Joined joined_;
  Nanos begun_;
  HostShare host_share_;
  alignas(64) std::array<std::byte, 1024> own_board_{};  // alone, it is shared with nobody
  fabric::Rehearsal* rehearsal_ = nullptr;
  double told_share_ = 1;  // of a core, that a rehearsed PE gives each of its workers
  std::unique_ptr<Pe> pe_;
  std::optional<progress::ProgressThread> progress_thread_;
  std::atomic<std::size_t> working_{0};  // workers that have not left their main loops
  std::atomic<bool> exiting_{false};     // by exit(), called in the root
  const pid_t pid_ = getpid();
  std::atomic<bool> returned_{false};
  std::atomic<int> code_{0};
  std::atomic<bool> over_{false};
};

// Set once there is a run to be ended; for exit(), which has nothing to go by.
constinit Process* process = nullptr;

/// The run's process, if this is no child that the program has forked.
Process* own_process() {
  return process != nullptr && process->is_this_one() ? process : nullptr;
}

void on_exit_called(int code, void*) {
  if (auto* const own = own_process()) own->exit_called(code);
}

// Before all static objects of the program, so that it is called when all are destroyed.
[[gnu::constructor(101)]] void prepare_to_leave() {
  on_exit(
      [](int code, void*) {
        if (const auto* const own = own_process(); own != nullptr && own->returned())
          fabric::leave(code);
      },
      nullptr);
}

// Messages come and go in blocks of up to the largest value that travels. By default malloc gets
// each large one from the kernel, a page fault every 4 KiB, and gives it back at once.
void keep_freed_blocks() {
  constexpr int most_kept = 256 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, most_kept);
}

// Not in the frame of who runs it, where what this leaves would lie as long as the run does, and be
// searched: a short name over the lower half of an address is another address.
[[gnu::noinline]] void begin(Program& program) {
  auto joined = join_others(program);
  // Never destroyed: its threads may be anywhere when it ends.
  process = new Process(std::move(program), std::move(joined));
}

/// A simulated run leaves no Process: it is here that its program's second call is known.
enum class Simulated : char { not_yet, goes_on, is_over };
std::atomic simulated{Simulated::not_yet};

int simulate(Program& program, const Root& root) {
  simulated = Simulated::goes_on;
  const int code = run_simulated(program, root);
  simulated = Simulated::is_over;
  return code;
}

[[noreturn]] void called_again_when_simulated() {
  complain(simulated == Simulated::is_over
               ? called_twice
               : "trawl::run was called on a PE while a run goes on; call it once, in main");
  end_is_meant();
  std::fflush(nullptr);
  std::_Exit(1);  // others may be anywhere
}

}  // namespace

int run_program(int argc, char** argv, const Root& root) {
  if (process != nullptr) process->called_again();
  if (simulated != Simulated::not_yet) called_again_when_simulated();
  keep_closed_outputs_closed();
  keep_freed_blocks();
  fabric::disarm_ucx_signals();
  Program program(argc, argv);
  int code = 1;
  try {
    heap::start_collector(program.options.heap, program.options.heap_max);
    heap::set_torture(program.options.collect_every);
    sched::prepare_fences();
    if (!program.options.simulate.empty() && !program.asks() && !program.trouble)
      return simulate(program, root);
    begin(program);
    on_exit(&on_exit_called, nullptr);
    heap::clear_finished_calls<std::size_t{64} << 10U>();
    return process->run(root);
  } catch (const Error& e) {
    say(std::string("trawl: ") + e.what() + "\n");
    code = e.exit_code();
  }
  end_is_meant();
  fabric::leave(code);
}

}  // namespace trawl
