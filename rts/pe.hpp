// One processing element: wires the rooms together, and takes each message to the one it is for.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "rts/balance/tables.hpp"
#include "rts/ending.hpp"
#include "rts/fabric/fabric.hpp"
#include "rts/fabric/fragments.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/options.hpp"
#include "rts/recover/alive.hpp"
#include "rts/recover/waking_time.hpp"
#include "rts/sched/deadlock_detector.hpp"
#include "rts/sched/fishing.hpp"
#include "rts/sched/workers.hpp"
#include "rts/start.hpp"
#include "rts/stats.hpp"
#include "rts/trace/log.hpp"

namespace trawl {

class Pe final : public fabric::Outbox, public sched::Host {
 public:
  struct Setup {
    Options options;
    Introduction facts;
    std::string program;
    int workers = 1;
    std::uint64_t seed = 1;
    heap::Weight full_weight = heap::Weight{1} << 16U;
    /// Simulated PEs share an OS thread, see Host::pause.
    void (*pause)(sched::Worker&) = nullptr;
  };

  /// `over` is called once, with the lock held, when this PE has no more to do.
  Pe(const Setup& setup, fabric::Fabric& fabric, std::function<void(const Outcome&)> over);

  sched::Workers& workers() noexcept { return workers_; }
  const balance::Tables& tables() const noexcept { return tables_; }
  const sched::Fishing& fishing() const noexcept { return fishing_; }
  int self() const noexcept { return fabric_.self(); }

  /// All PEs know each other.
  bool joined() const noexcept { return joined_; }

  /// The main PE: runs the program's root on worker 0, and ends the run with the code it returns.
  void start_root(std::function<int()> root);
  /// The main PE: ends the run. Takes the lock.
  void finish(int code);

  // Host
  std::mutex& lock() noexcept override { return lock_; }
  heap::SharedHeap& shared_heap() noexcept override { return shared_heap_; }
  Nanos now() const noexcept override { return fabric_.now(); }
  Nanos last_poll() const noexcept override { return last_poll_.load(std::memory_order_relaxed); }
  bool poll(sched::Worker* by) override;
  fabric::Bell& bell() noexcept override { return fabric_.bell(); }
  Nanos longest_sleep() const noexcept override;
  Nanos due() const noexcept override { return fishing_.due(); }
  bool waiting() const noexcept override { return fabric_.waiting(); }
  bool under_way() const noexcept override { return under_way_.load(std::memory_order_relaxed); }
  /// Tells everybody, and says why on the main PE.
  void fail(const std::string& why, int code) override;
  void fail_without_memory() noexcept override;
  bool stopping() const noexcept override { return stopping_; }
  trace::Log* log() noexcept override { return log_.get(); }
  void (*pause() const noexcept)(sched::Worker&) override { return pause_; }

  // Outbox; with the lock held
  Writer open(fabric::Kind kind, int to) override;
  void send(int to, Writer message) override;
  std::span<const std::byte> hold(std::span<const std::byte> message) override;
  void step_out() override;
  void look_around() override { poll_once(nullptr); }
  void step_in() noexcept override;

  /// What depends on when the collector runs: simulated PEs don't do it by themselves. With the
  /// lock held.
  void sweep();

  Statistics statistics() const;

  /// Called before and after each collection, by the collector: allocates nothing.
  void note_collection(bool begins) noexcept;

 private:
  bool poll_once(sched::Worker* by);
  void take_messages(sched::Worker* by);
  std::optional<fabric::Arrival> receive();
  bool take_own(sched::Worker* by);
  bool must_wait(std::span<const std::byte> message) const;
  void send_kept();
  bool flushed();
  void deliver(int from, std::span<const std::byte> message, sched::Worker* by);
  void dispatch(fabric::Kind kind, Reader& message, int from, sched::Worker* by);
  void look_for_the_dead();
  void on_fail(Reader& message);
  void fail_locked(std::string_view why, int code) noexcept;
  void tell_of_failure(int pe) noexcept;
  void begin_failure(Outcome outcome, int missing);
  void check_joined();
  void fish(sched::Worker* by);
  void read_clock(sched::Worker* by);
  void keep_house(sched::Worker* by);
  void beat();
  void note_load(Nanos now);
  Nanos round_trip() const;
  void end(const Outcome& outcome);

  std::mutex lock_;
  fabric::Fabric& fabric_;
  std::function<void(const Outcome&)> over_;
  void (*pause_)(sched::Worker&);
  std::atomic<bool> stopping_{false};
  std::atomic<bool> joined_{false};
  bool ended_ = false;
  std::optional<Outcome> failure_;
  Outcome no_memory_;        // made while there is some
  int failure_missing_ = 0;  // PEs that have not heard of it yet
  Nanos failure_deadline_ = 0;
  Nanos next_load_event_ = 0;
  Nanos next_housekeeping_ = 0;
  Nanos next_look_for_the_dead_ = 0;
  Nanos next_save_ = 0;
  bool polling_ = false;
  std::atomic<bool> more_to_move_{false};  // the last poll ended though there was more, or room
  bool outside_ = false;                   // a message is being read by somebody without the lock
  std::atomic<bool> under_way_{false};
  std::atomic<Nanos> last_poll_{0};
  bool clock_skipped_ = false;  // by the last poll
  Nanos time_ = 0;  // while polling: about when the newest message arrived; reading the clock costs
  Nanos collection_begun_ = 0;
  int idle_in_collection_ = 0;  // workers
  int busy_in_collection_ = 0;
  std::atomic<Nanos> collected_while_busy_{0};  // summed over workers
  std::atomic<Nanos> collected_while_idle_{0};
  recover::WakingTime awake_;  // what others are given to answer is counted in this

  Counters counters_;
  fabric::Fragmenter fragmenter_;
  std::deque<Bytes> to_self_;
  // Sender and message; came before we knew the others, or while another was being read.
  std::deque<std::pair<int, Bytes>> early_;
  const fabric::Arrival* arriving_ = nullptr;  // in the fabric's memory, or the fragmenter's
  Bytes held_;
  Writer spare_;  // memory of the last message

  balance::Tables tables_;
  std::unique_ptr<trace::Log> log_;
  sched::Workers workers_;
  heap::SharedHeap shared_heap_;
  sched::Fishing fishing_;
  sched::DeadlockDetector deadlock_detector_;
  recover::Alive alive_;
  Start start_;
  Ending ending_;
};

}  // namespace trawl
