// The workers of one PE, and what they have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rts/balance/tables.hpp"
#include "rts/fabric/fabric.hpp"
#include "rts/host/brief_mutex.hpp"
#include "rts/host/throttle.hpp"
#include "rts/options/options.hpp"
#include "rts/progress/engine.hpp"
#include "rts/sched/aside.hpp"
#include "rts/sched/giving.hpp"
#include "rts/sched/host.hpp"
#include "rts/sched/spark_queue.hpp"
#include "rts/sched/thread_pool.hpp"
#include "rts/sched/worker.hpp"
#include "rts/trace/log.hpp"

namespace trawl::sched {

class Workers final : public progress::Engine {
 public:
  static constexpr std::size_t most_spares = 64;

  struct Setup {
    Options options{};
    int workers = 1;
    trace::Log* log = nullptr;  ///< nullptr: off
    /// Simulated PEs share one OS thread: here they let others run. Otherwise nullptr.
    void (*pause)(Worker&, Moment) = nullptr;
    /// ... and here declared work (rts/inline/work.hpp) moves their clocks.
    void (*work)(Worker&, Nanos) = nullptr;
    /// ... and this is what the one whose turn it is has had of the processor. Otherwise nullptr.
    Nanos (*processor)() = nullptr;
    /// What each is expected to get of a core at present; none: all of it.
    std::function<double()> share{};
    Recorder* recorder = nullptr;  ///< nullptr: nothing is recorded
    /// Makes a slow PE's spare workers slow, each time that they are called, on their OS threads.
    std::function<std::unique_ptr<Throttle>(Worker&)> throttle{};
  };

  Workers(const Setup& setup, Host& host, fabric::Fabric& fabric, progress::State& state);
  ~Workers();

  Host& host() noexcept { return host_; }
  const fabric::Fabric& fabric() const noexcept { return fabric_; }
  trace::Log* log() const noexcept { return setup_.log; }
  auto pause() const noexcept { return setup_.pause; }
  auto charge() const noexcept { return setup_.work; }
  auto processor_clock() const noexcept { return setup_.processor; }
  Recorder* recorder() const noexcept { return setup_.recorder; }
  std::size_t size() const noexcept { return regular_; }
  Worker& operator[](std::size_t i) noexcept { return *all_[i]; }

  /// With the spare ones, which come after the others (progress/spares.hpp).
  std::span<const std::unique_ptr<Worker>> all() const noexcept {
    return {all_.data(), count_.load(std::memory_order_acquire)};
  }
  /// Does one of them evaluate a step of this code?
  bool evaluates(const heap::Code& step) const noexcept {
    return std::ranges::any_of(all(), [&](const auto& each) { return each->evaluates(step); });
  }
  bool is_spare(const Worker& worker) const noexcept {
    return static_cast<std::size_t>(worker.index()) >= regular_;
  }

  // ---- sparks

  /// A thunk that came from another PE, or that one waits for: any worker may take it.
  void add_arrived(heap::Node* spark);
  /// The same for one that other PEs may take, too, and for one that they may not.
  void add_imported(heap::Node* spark) { add(imported_, spark); }
  void add_placed(heap::Node* spark) { add(placed_, spark); }
  /// For one that another PE has, too.
  void add_backup(heap::Node* spark) { add(backups_, spark); }
  /// A worker who was idle has found something to do: others may take what else there is.
  void leave_rest() noexcept {
    if (has_imported() || threads_.movable() != 0) wake_another();
  }
  /// Of those that arrived, how many were found fizzled before their turn.
  std::uint64_t arrived_fizzled() const noexcept {
    return imported_.fizzled() + placed_.fizzled() + backups_.fizzled();
  }
  bool has_imported() const noexcept {
    return (imported_.size() != 0 && !crowded()) || placed_.size() != 0 || backups_.size() != 0;
  }
  /// What was placed here comes first: nobody else takes it. Last what another PE is at.
  heap::Node* take_imported();
  heap::Node* take_placed() { return placed_.take(); }
  /// For another PE: one is kept for each worker that runs nothing, and is about to take it.
  heap::Node* take_backup() {
    return may_start_thread() && backups_.size() <= without_work() ? nullptr : backups_.take();
  }
  /// The oldest spark of some worker but `self`: at first of a random one, and of nobody whom
  /// another is taking from.
  FoundSpark take_from_siblings(Worker& self);
  /// How many sparks may be sent away. One is kept for each worker that runs nothing: it is about
  /// to take a spark itself, and without this two idle PEs would hand the last one to and fro.
  std::uint32_t spare_sparks() const noexcept;
  /// Workers that run nothing.
  std::uint32_t without_work() const noexcept;
  /// The next spark of any worker will notify the progress thread; until then, it is watched for.
  void watch_for_sparks() noexcept;
  bool watching_for_sparks() const noexcept;
  /// Data of sparks may be elsewhere from now on: for each it is found out whether
  /// (sched/place.cpp).
  void seek_data() noexcept;
  /// The oldest spark of the PE, to be sent away. `by`: on whose OS thread we are, or nullptr.
  FoundSpark take_for_export(Worker* by);

  // ---- what the progress thread asks for

  progress::Undone undone() const noexcept;
  progress::Situation situation() const noexcept override;
  bool look() override;
  std::function<void()> add_spare() override;

  // ---- threads

  /// Is there room under --trawl:thread-limit, and would it not wait with all others?
  bool may_start_thread() const noexcept {
    return !leaving() && !crowded() &&
           live_.load(std::memory_order_relaxed) < static_cast<std::int64_t>(limit_);
  }
  /// From now on no sparks are taken: this PE leaves, and gives them away. What nobody else can
  /// evaluate still is.
  void begin_to_leave() noexcept { leaving_.store(true, std::memory_order_relaxed); }
  bool leaving() const noexcept { return leaving_.load(std::memory_order_relaxed); }
  /// With every thread blocked, imported sparks may go over the limit: what they hold up elsewhere
  /// may be what the blocked ones wait for.
  bool all_blocked() const noexcept {
    return live_.load(std::memory_order_relaxed) ==
           static_cast<std::int64_t>(blocked_count_.load(std::memory_order_relaxed));
  }
  /// At the limit, and what is waited for is a write to an object: any spark may make it.
  bool guards_hold_all_up() const noexcept;
  /// What else began would wait for what the PE waits for already: as many threads as there are
  /// workers wait for one value that is on its way here, and there is one more already, or all that
  /// has arrived has it as an argument; or more are blocked, as all were that have begun of late,
  /// and one of them has its value soon. See "Waiting for data" in README.md.
  bool crowded() const noexcept {
    return crowd_.load(std::memory_order_relaxed) != nullptr && !leaving() && !is_crowd_over();
  }
  /// A thread has ended that has not blocked once.
  void note_never_blocked() noexcept {
    if (block_in_a_row_.load(std::memory_order_relaxed) != 0)
      block_in_a_row_.store(0, std::memory_order_relaxed);
  }
  /// With the PE's lock held. `begins_all_the_same`: the next one that would wait, rather than
  /// leave it to others? None: nothing is looked at.
  void heed_crowds(std::function<bool()> begins_all_the_same) noexcept {
    begins_all_the_same_ = std::move(begins_all_the_same);
    awaited_ = crowd_ = nullptr;
    soon_ = nullptr;
  }
  void add_live(int more) noexcept { live_.fetch_add(more, std::memory_order_relaxed); }
  /// So many of its threads a worker need not have added: else each spark would cost two atomic
  /// additions to a word that all workers share. A low limit is kept exactly.
  int unsaid() const noexcept { return limit_ / 16 >= regular_ ? 1 : 0; }

  /// Throws Error when there is no memory for its stack.
  Thread& new_thread();
  void delete_thread(Thread& thread);

  /// Have threads that ran this code made sparks, or called what blocks? Then it is not run twice
  /// for being slow.
  void note_splits(const heap::Code& code) noexcept {
    if (!splits(code)) splits_[code.id].store(true, std::memory_order_relaxed);
  }
  bool splits(const heap::Code& code) const noexcept {
    return splits_[code.id].load(std::memory_order_relaxed);
  }

  /// As --trawl:copies and copy-share say.
  int copies() const noexcept { return setup_.options.copies; }
  double copy_share() const noexcept { return setup_.options.copy_share; }

  /// What they wait for outside of the run.
  Aside& aside() noexcept { return aside_; }

  /// Those that have been woken, and the root before it begins.
  ThreadPool& threads() noexcept { return threads_; }
  /// Into the thread pool, and somebody idle is told.
  void make_runnable(Thread& thread) noexcept;

  /// With the PE's lock held. First room is made, then the thread waits, and then it is noted.
  void make_room_for_blocked();
  void note_blocked(Thread& thread);
  void note_woken(Thread& thread);
  /// With the PE's lock held.
  Gives& gives() noexcept { return gives_; }
  const std::vector<Thread*>& blocked() const noexcept { return blocked_; }

  // ---- load

  /// What each is expected to get of a core at present.
  double share_of_core() const { return setup_.share ? setup_.share() : 1; }

  /// How long they have had something to do, in sum; spare ones too.
  Nanos busy_time() const noexcept;
  /// Sparks and runnable threads at about this moment.
  balance::Load load() const noexcept;
  unsigned live_threads() const noexcept;
  /// No worker has anything that it could do, and none but `by`, who asks, may be doing anything;
  /// nor does a call aside.
  bool at_rest(const Worker* by) const noexcept;
  bool anybody_busy() const noexcept;
  /// Spare workers that may be doing anything, and calls aside.
  std::size_t busy_besides() const noexcept;
  /// How many run a thread; spare ones too. For signal handlers.
  std::size_t running() const noexcept;

  void wake_all() noexcept;

 private:
  void wake_another() noexcept;

  std::span<const std::unique_ptr<Worker>> regular() const noexcept {
    return {all_.data(), regular_};
  }

  const Setup setup_;
  Host& host_;
  const fabric::Fabric& fabric_;
  unsigned limit_;
  std::vector<std::atomic<bool>> splits_;  // by code
  std::size_t regular_;
  std::atomic<std::size_t> count_;
  std::vector<std::unique_ptr<Worker>> all_;  // never moved: others look while one is added
  ThreadPool threads_;
  BriefMutex all_threads_lock_;
  std::vector<std::unique_ptr<Thread>> all_threads_;
  std::atomic<std::int64_t> live_{0};  // who ends a thread may tell before who began it
  std::atomic<std::size_t> blocked_count_{0};
  std::atomic<bool> leaving_{false};
  std::vector<Thread*> blocked_;
  std::function<bool()> begins_all_the_same_;
  // What is on its way here, and as many threads as there are workers wait for.
  std::atomic<const heap::Node*> awaited_{nullptr};
  // The same, if what else would begin waits for it, too.
  std::atomic<const heap::Node*> crowd_{nullptr};
  std::atomic<Nanos> crowd_until_{never};
  // What is on its way here, and soon wakes somebody.
  const heap::Node* soon_ = nullptr;
  // So many threads have blocked since one ended that had not.
  std::atomic<std::size_t> block_in_a_row_{0};
  Gives gives_;

  void add(SparkQueue& queue, heap::Node* spark);
  bool is_coming(heap::Node* node) const;
  bool comes_soon(heap::Node* node) const;
  bool is_crowd_over() const noexcept;
  void note_crowd(heap::Node* node);
  heap::Node* take_unless_it_waits();

  SparkQueue imported_;
  SparkQueue placed_;
  SparkQueue backups_;
  Aside aside_{host_, gives_};
};

}  // namespace trawl::sched
