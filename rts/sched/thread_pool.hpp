// The runnable threads of a PE that no worker runs yet.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rts/host/brief_mutex.hpp"
#include "rts/sched/thread.hpp"

namespace trawl::sched {

/// First in, first out. Any thread may call anything.
class ThreadPool {
 public:
  void push(Thread& thread) noexcept;
  enum class Whom : std::uint8_t {
    any,
    urgent,  ///< none whose like is being evaluated: Thread::waits_its_turn
  };
  /// The oldest thread that may run on this worker; nullptr if there is none.
  Thread* take(const Worker& worker, Whom whom = Whom::any) noexcept;

  std::size_t size() const noexcept { return size_.load(); }
  /// How many of them may run on any worker.
  std::size_t movable() const noexcept { return movable_.load(); }
  /// Is any of these urgent? They are looked at one by one.
  bool any_urgent() const noexcept;
  /// How many have been taken so far.
  std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

 private:
  mutable BriefMutex lock_;
  Thread* oldest_ = nullptr;
  Thread* newest_ = nullptr;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> movable_{0};
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace trawl::sched
