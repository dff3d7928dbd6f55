// What workers ask of the PE that they work for.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "rts/bytes.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/progress/event_count.hpp"
#include "rts/trace/log.hpp"

namespace trawl::sched {

class Worker;

inline constexpr Nanos never = std::numeric_limits<Nanos>::max();

class Host {
 public:
  /// The PE's lock: guards everything but the spark pools and the headers of nodes.
  virtual std::mutex& lock() noexcept = 0;
  virtual heap::SharedHeap& shared_heap() noexcept = 0;
  /// The PE's clock.
  virtual Nanos now() const noexcept = 0;
  /// When the last poll began: about now, for who has just polled, and cheaper than the clock.
  virtual Nanos last_poll() const noexcept = 0;
  /// Looks after messages; `by` is the worker on whose thread we are, or nullptr. Not for a thread
  /// in the middle of a program's function. False: somebody else holds the lock, look again.
  virtual bool poll(Worker* by) = 0;
  /// What this PE's threads sleep on, and for how long they may: a message need not ring.
  virtual progress::EventCount& events() noexcept = 0;
  virtual Nanos longest_sleep() const noexcept = 0;
  /// When a poll is needed for what no message rings for; `never` if nothing is due.
  virtual Nanos due() const noexcept = 0;
  /// Who sleeps so long from `now` on, `longest` at most, does not miss it.
  Nanos sleep_until_due(Nanos now, Nanos longest) const noexcept {
    return std::clamp<Nanos>(due() - now, 0, longest);
  }
  /// Has a message that rang not been taken yet?
  virtual bool waiting() const noexcept = 0;
  /// As of the last poll: is one of ours under way that needs another?
  virtual bool under_way() const noexcept = 0;
  /// The run can't go on. Takes the lock.
  virtual void fail(const std::string& why, int code) = 0;
  /// As `fail`, when memory has run out: to be called where nobody else would learn of it.
  virtual void fail_without_memory() noexcept = 0;
  /// The program has ended: workers leave their main loops.
  virtual bool stopping() const noexcept = 0;
  /// nullptr: off.
  virtual trace::Log* log() noexcept = 0;
  /// Simulated PEs share one OS thread: here they let others run. Otherwise nullptr.
  virtual void (*pause() const noexcept)(Worker&) = 0;

 protected:
  ~Host() = default;
};

}  // namespace trawl::sched
