// What workers ask of the PE that they work for.
#pragma once

#include <mutex>
#include <string>

#include "rts/heap/shared_heap.hpp"

namespace trawl::balance {
class Tables;
}

namespace trawl::sched {

class Bounds;
class Objects;
class Worker;

class Host {
 public:
  /// The PE's lock: guards everything but the spark pools and the headers of nodes.
  virtual std::mutex& lock() noexcept = 0;
  virtual heap::SharedHeap& shared_heap() noexcept = 0;
  /// Its own: there before any worker runs.
  virtual const heap::GlobalAddressTable& addresses() const noexcept = 0;
  /// What it knows of the others.
  virtual const balance::Tables& tables() const noexcept = 0;
  virtual Bounds& bounds() noexcept = 0;
  virtual Objects& objects() noexcept = 0;
  /// Looks after messages; `by` is the worker on whose thread we are, or nullptr. Not for a thread
  /// in the middle of a program's function. False: somebody else holds the lock, look again.
  virtual bool poll(Worker* by) = 0;
  /// The program has ended, or the run can't go on: workers leave their main loops.
  virtual bool stopping() const noexcept = 0;
  /// The run can't go on. Takes the lock.
  virtual void fail(const std::string& why, int code) = 0;
  /// As `fail`, when memory has run out: to be called where nobody else would learn of it.
  virtual void fail_without_memory() noexcept = 0;

 protected:
  ~Host() = default;
};

}  // namespace trawl::sched
