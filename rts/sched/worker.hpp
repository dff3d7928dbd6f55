// A worker: an OS thread that runs Trawl threads, and its main loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <time.h>

#include "rts/inline/demand.hpp"
#include "rts/options/options.hpp"
#include "rts/sched/giving.hpp"
#include "rts/sched/host.hpp"
#include "rts/sched/kept_sparks.hpp"
#include "rts/sched/message_time.hpp"
#include "rts/sched/spark_pool.hpp"
#include "rts/sched/thread.hpp"
#include "rts/trace/made.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::fabric {
class Fabric;
}
namespace trawl::progress {
class EventCount;
struct State;
class WorkerPolicy;
}  // namespace trawl::progress
namespace trawl::trace {
class Log;
class Sites;
}  // namespace trawl::trace

namespace trawl::sched {

class Recorder;
class Workers;

/// How long a worker has stood still in collections, by what it was at. Written by who collects.
struct StandStill {
  Tally while_busy{};
  Tally while_idle{};
  Tally* now = nullptr;  ///< that of both which grows by the collection under way
};

/// Where a simulated worker is when others get their turn.
enum class Moment : std::uint8_t {
  between_turns,  ///< of its main loop
  before_thread,  ///< about to switch to a thread
  in_thread,      ///< a piece of work of the running thread is over, before it takes effect
  after_thread,   ///< the thread has ended, or blocked
};

class Worker;

/// A spark, and where it lay; `from` is nullptr: it has come from elsewhere.
struct FoundSpark {
  heap::Node* spark = nullptr;
  const Worker* from = nullptr;
  std::uint32_t place = 0;  ///< in its pool

  /// For the log, see trace::PoolPlace.
  std::uint32_t packed_place() const noexcept;
};

class Worker {
 public:
  /// `parked`: a spare one, until it is called.
  Worker(Workers& workers, int index, const Options& options, bool parked = false);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  SparkPool pool;
  KeptSparks kept_sparks;
  Counters counters;  // the pool has its own
  MessageTime messages;
  StandStill stood;
  const void* scope = nullptr;  // of the running thread, see demand.hpp

  int index() const noexcept { return index_; }
  /// Spawned calls included.
  std::uint64_t sparks_made() const noexcept {
    return counters[Count::sparks_created] + pool.calls();
  }
  Host& host() noexcept { return host_; }
  Workers& workers() noexcept { return workers_; }

  // ---- on its OS thread, outside any Trawl thread

  /// Binds this worker to the OS thread that calls it; its main loop will run on `main`.
  void attach(std::unique_ptr<Fiber> main);
  /// Its life is counted from now on; loop() calls it.
  void begin_life() noexcept;
  /// Makes the program's root a thread, to be begun by the next turns of this main loop.
  void start_root(std::function<void()> root);
  /// The main loop, until the host is stopping. `spins`: an idle worker may burn its core a while.
  void loop(bool spins);
  /// One turn of the main loop; false: there was nothing to do.
  bool step();
  /// A spare worker's: runs threads that have been woken, until there is none.
  void relieve();
  /// Looks for messages alone, for some hundred nanoseconds where there are few PEs: the attendant
  /// sees them sooner so between two turns, and keeps nobody from the lock. Others look for
  /// threads.
  void listen() noexcept;
  /// A number below this one; good enough to choose a victim by.
  std::size_t random(std::size_t below) noexcept;
  /// Was that all it did since its last poll?
  bool has_listened() noexcept { return std::exchange(listened_, false); }

  // ---- on the running thread

  /// Suspends the running thread until `node` has finished; false if there is nothing to wait for.
  /// `granted` tells that the node is a thunk that the caller has to evaluate now. The thread may
  /// go on on another worker.
  bool block_on(heap::Node* node, bool& granted);
  /// The same for the first of several nodes to finish; `waiter` is to wake the running thread.
  bool block_on(std::span<heap::Node* const> nodes, heap::Waiter& waiter);
  Thread& running_thread() noexcept { return *running_; }
  /// The running thread, as the log knows it.
  Gives as_giver() const noexcept;
  /// With the PE's lock held: while what this returns lives, threads are woken by the running one.
  Giving giving() noexcept;
  /// Of the running thread.
  Meter& meter() noexcept { return running_->meter_; }
  /// Of the spark that the running thread evaluates; nullptr: there is none, or it is the root.
  const heap::Code* running_code() const noexcept;
  /// Where the calling code runs: the running thread's fiber, or the main loop's.
  Fiber& current_fiber() noexcept { return running_ != nullptr ? running_->fiber_ : *main_; }
  /// Is it in a simulation, or a run that is recorded?
  bool is_special() const noexcept { return special_; }
  /// Sparks may have to go to where their data are.
  bool knows_of_data_elsewhere() const noexcept { return host_.addresses().knows_large(); }
  /// Is it to be found out for a spark of this code? Where that has been in vain for long, seldom.
  bool seeks_data_of(const heap::Code& code) noexcept;
  void note_data_of(const heap::Code& code) noexcept { sought_in_vain_[code.id] = 0; }
  /// For the log, of a spark that goes by no pool; `caller` is an address in what makes it.
  void note_site(heap::Node& spark, const void* caller) noexcept;
  /// For the log: which sparks the running thread has made since it was switched in.
  void note_made() noexcept;
  /// nullptr: nothing is recorded.
  Recorder* recorder() const noexcept { return recorder_; }
  /// In a simulation, lets other PEs run.
  void let_others_run(Moment moment) {
    if (pause_ != nullptr) [[unlikely]]
      pause_(*this, moment);
  }
  bool simulated() const noexcept { return pause_ != nullptr; }

  // ---- anybody

  bool idle() const noexcept { return idle_.load(std::memory_order_relaxed); }
  /// Certainly between two turns of its main loop.
  bool between_turns() const noexcept { return parked_.load() || pause_ != nullptr; }
  bool running() const noexcept { return runs_.load(std::memory_order_relaxed) != nullptr; }
  /// Is it this spark whose thread it runs?
  bool runs(heap::Hidden spark) const noexcept {
    return heap::Hidden(runs_.load(std::memory_order_relaxed)) == spark;
  }
  /// Does its thread evaluate a step of distributed data, of this code?
  bool evaluates(const heap::Code& step) const noexcept {
    return step_.load(std::memory_order_relaxed) == &step;
  }
  void wake_up() noexcept;
  /// Time spent idle so far.
  Nanos idle_time() const noexcept;
  /// How much of that messages took.
  Nanos messages_while_idle() const noexcept;
  Nanos life_time() const noexcept;
  /// What its OS thread has had of the processor since it was attached.
  Nanos processor_time() const noexcept;
  /// Threads it has begun, less those that ended here, of which the others have not been told.
  int unsaid() const noexcept { return unsaid_.load(std::memory_order_relaxed); }
  bool alive() const noexcept { return born_.load(std::memory_order_relaxed) >= 0; }

 private:
  friend class Thread;

  static constexpr clockid_t no_clock = -1;

  FoundSpark find_spark();
  std::optional<heap::Address> owed_to(heap::Node* spark);
  void note_thief(const heap::Node* node) noexcept;
  FoundSpark take_from_thief();
  void start_thread(const FoundSpark& found);
  void thread_started(Thread& thread);
  /// Sparks that the running thread has made since it was switched in.
  std::uint64_t just_made() const noexcept { return sparks_made() - made_before_; }
  /// As events have it.
  std::uint32_t just_made_at_most() const noexcept {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(just_made(), UINT32_MAX));
  }
  void count_live(int more) noexcept;
  void say_live() noexcept;
  void run(Thread& thread);
  Thread& free_thread();
  void put_away(Thread& thread);
  void poll_when_due();
  bool attend() noexcept;
  void stop_attending() noexcept;
  Nanos about_now() const noexcept;
  Nanos messages_until_about_now() const noexcept {
    return has_polled_ ? messages.sum_before() : messages.sum();
  }
  void leave_messages();
  void notify_progress_thread_if_needed();
  bool register_blocked(Thread& thread, std::span<heap::Node* const> nodes, heap::Waiter& waiter,
                        bool& elsewhere);
  void begin_idle();
  void end_idle();
  void park(std::uint32_t epoch, progress::WorkerPolicy& policy);

  Workers& workers_;
  Host& host_;
  const fabric::Fabric& fabric_;
  progress::EventCount& events_;
  progress::State& state_;
  trace::Log* log_;
  std::unique_ptr<trace::Sites> sites_;  // of a run with a log
  void (*pause_)(Worker&, Moment);
  Recorder* recorder_;
  std::vector<std::uint32_t> sought_in_vain_;  // by code
  bool special_;
  int index_;
  std::uint32_t next_number_;  // of a thread, in the log
  std::uint32_t random_;       // not 0

  std::unique_ptr<Fiber> main_;  // where the main loop runs
  Thread* running_ = nullptr;
  std::uint64_t made_before_ = 0;     // sparks, when that was switched in
  std::uint64_t ignored_before_ = 0;  // sparks that the log has been told of
  trace::Made made_;                  // since then
  Worker* thief_ = nullptr;           // who runs what a thread here waits for
  heap::Hidden stolen_;               // that
  std::vector<Thread*> free_threads_;
  Nanos next_poll_ = 0;
  bool has_polled_ = false;  // at the last try
  bool listened_ = false;
  bool attends_ = false;

  std::atomic<const heap::Code*> step_{nullptr};  // that the running thread evaluates
  std::atomic<const void*> runs_{nullptr};  // a spark, `this` for the root, nullptr for nothing
  std::atomic<int> unsaid_{0};
  std::atomic<bool> idle_{false};
  std::atomic<bool> parked_;

  std::atomic<Nanos> born_{-1};
  std::atomic<clockid_t> processor_clock_{no_clock};
  std::atomic<Nanos> idle_since_{0};
  std::atomic<Nanos> idle_sum_{0};
  std::atomic<Nanos> messages_before_idle_{0};
  Tally messages_while_idle_;
};

/// The worker that runs on this OS thread; nullptr outside of a run. Simulated PEs take turns.
extern constinit thread_local Worker* this_worker __attribute__((tls_model("initial-exec")));

void set_this_worker(Worker* worker) noexcept;

/// The same for code on a thread, which may have come to another OS thread since it last asked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// What checks each access asks for the address first, and may keep it.
[[gnu::noipa]] Worker* current_worker() noexcept;
#else
inline Worker* current_worker() noexcept {
  return this_worker;
}
#endif

/// The same, where there has to be one: throws Error outside of a run.
inline Worker& worker_here() {
  Worker* const worker = current_worker();
  if (worker == nullptr) [[unlikely]]
    refuse_outside_of_a_run();
  return *worker;
}

/// For a spark that was just made where the pool refuses the quick way: it goes to the PE that has
/// the large values it needs, if another has (place.cpp), else into the pool. `caller` is an
/// address in what makes it.
void spark_slowly(heap::Node* node, const void* caller);

/// While it lives, what runs on this thread is a part of nothing.
class Apart {
 public:
  Apart() noexcept : scope_(std::exchange(current_worker()->scope, nullptr)) {}
  ~Apart() { current_worker()->scope = scope_; }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

 private:
  const void* scope_;
};

/// What is forced is not a part of what the calling code is a part of.
inline void evaluate_apart(const Worker& worker, heap::Node* node) {
  if (worker.scope == nullptr) [[likely]]
    return node->code().evaluate(node);
  const Apart apart;
  node->code().evaluate(node);
}

}  // namespace trawl::sched
