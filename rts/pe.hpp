// One processing element: constructs the rooms and connects them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "rts/accounts.hpp"
#include "rts/housekeeping.hpp"
#include "rts/leaving.hpp"
#include "rts/mailbox.hpp"
#include "rts/options/options.hpp"
#include "rts/pace.hpp"

namespace trawl {

class Pe final : public sched::Host {
 public:
  struct Setup {
    Options options;
    life::Introduction facts;
    std::string program;
    int workers = 1;
    std::uint64_t seed = 1;
    double share = 1;  ///< of a core, what each worker is expected to get
    heap::Weight full_weight = heap::Weight{1} << 32U;
    /// Simulated PEs share an OS thread, see Workers::Setup.
    void (*pause)(sched::Worker&, sched::Moment) = nullptr;
    void (*work)(sched::Worker&, Nanos) = nullptr;
    Nanos (*processor)() = nullptr;
    std::function<double()> pace{};    ///< of its speed at present; not to be measured
    std::function<double()> memory{};  ///< that is used, of what there may be; none: no matter
    /// Do others want the host's cores? Asked every second; none: no matter.
    std::function<bool(Nanos now)> owner_is_back{};
    /// Of a PE that is to be slower than its host, see Workers::Setup.
    std::function<std::unique_ptr<Throttle>(sched::Worker&)> throttle{};
    bool shown = false;  ///< to trawl-top: the main PE, if it is a process of its own
  };

  /// `over` is called once, with the lock held, when this PE has no more to do.
  Pe(const Setup& setup, fabric::Fabric& fabric, std::function<void(const life::Outcome&)> over);
  ~Pe();

  int self() const noexcept { return fabric_.self(); }
  fabric::Outbox& outbox() noexcept { return mailbox_; }
  sched::Workers& workers() noexcept { return workers_; }
  const life::Life& life() const noexcept { return life_; }
  const balance::Tables& tables() const noexcept override { return tables_; }
  const recover::Census& census() const noexcept { return census_; }
  const sched::Fishing& fishing() const noexcept { return fishing_; }
  const sched::DeadlockDetector& deadlock_detector() const noexcept { return deadlock_detector_; }
  /// All PEs know each other.
  bool joined() const noexcept { return life_.joined(); }
  /// nullptr: off.
  trace::Log* log() noexcept { return log_.get(); }
  /// What is wrong with the recording, if anything.
  std::string recording_trouble() const;
  Statistics statistics();

  /// The main PE: runs the program's root on worker 0, and ends the run with the code it returns.
  void start_root(std::function<int()> root);
  /// The main PE: ends the run. Takes the lock.
  void finish(int code);
  /// Any other, where deaths are survived: it leaves before the end; asked twice, at once. To be
  /// called by any thread, in a signal handler too.
  void leave() noexcept;
  /// The main PE: another is to leave. To be called in the same way.
  void send_away(int pe) noexcept;
  bool may_leave() const noexcept { return recovers_ && self() != 0; }
  bool leaves() const noexcept { return leaving_.asked(); }

  // Host
  std::mutex& lock() noexcept override { return lock_; }
  heap::SharedHeap& shared_heap() noexcept override { return shared_heap_; }
  const heap::GlobalAddressTable& addresses() const noexcept override {
    return shared_heap_.addresses();
  }
  sched::Bounds& bounds() noexcept override { return bounds_; }
  sched::Objects& objects() noexcept override { return objects_; }
  bool poll(sched::Worker* by) override;
  bool stopping() const noexcept override { return life_.stopping(); }
  /// Tells everybody, and says why on the main PE.
  void fail(const std::string& why, int code) override;
  void fail_without_memory() noexcept override;

  /// What depends on when the collector runs: simulated PEs don't do it by themselves. With the
  /// lock held.
  void sweep();
  /// Called before and after each collection, by the collector: allocates nothing.
  void note_collection(bool begins) noexcept;

 private:
  bool poll_once(sched::Worker* by);
  void have_somebody_look() noexcept;
  void fish(sched::Worker* by);
  void note_load(Nanos now);
  void look_at_pace(Nanos now);
  void look_at_memory(Nanos now);
  void look_for_owner(Nanos now);
  void look_for_deadlock(sched::Worker* by);
  void on_gone(int pe, life::View::What what);
  void on_joined(int pe);
  life::Life::Hooks life_hooks(std::function<void(const life::Outcome&)> over);
  std::vector<Housekeeping::Chore> chores();

  std::mutex lock_;
  fabric::Fabric& fabric_;
  bool simulated_;
  bool recovers_;
  progress::State progress_;
  PollClock clock_;
  Counters counters_;
  sched::MessageTime messages_beside_workers_;
  std::unique_ptr<trace::Log> log_;
  std::unique_ptr<sched::Recorder> recorder_;
  CollectionTimes collections_;
  balance::Tables tables_;
  sched::Workers workers_;
  heap::SharedHeap shared_heap_;
  HeapWatch heap_watch_;
  sched::Fishing fishing_;
  sched::Bounds bounds_;
  sched::Objects objects_;
  sched::DeadlockDetector deadlock_detector_;
  life::Life life_;
  recover::Census census_;
  watch::Watch watch_;
  Leaving leaving_;
  Router router_;
  Mailbox mailbox_;
  Pace pace_;
  std::function<double()> told_pace_;
  std::function<bool(Nanos)> owner_is_back_;
  Housekeeping housekeeping_;
};

}  // namespace trawl
