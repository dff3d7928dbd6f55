// A lightweight thread: evaluates one spark, on a fiber of its own, so that it can block.
#pragma once

#include <atomic>
#include <functional>

#include "rts/heap/shared_heap.hpp"
#include "rts/sched/fiber.hpp"
#include "rts/sched/meter.hpp"
#include "rts/sched/seals.hpp"

namespace trawl::sched {

class Workers;
class Worker;

/// Begins on the worker that made it a thread; once blocked, it goes on on any of its PE.
class Thread final : public heap::Waiter {
 public:
  Thread(Workers& workers, std::size_t stack_size);

  /// What it waits for; nullptr while it is not blocked. Guarded by the PE's lock.
  heap::Node* waiting_for() const noexcept { return waiting_for_; }
  /// The spark that it evaluates; nullptr: the program's root.
  heap::Node* spark() const noexcept { return spark_; }

  /// Does it evaluate a shard while another one of the same skeleton is being evaluated? Then the
  /// operating system is not to divide a core between them: each takes memory, and none is sooner.
  bool waits_its_turn() const noexcept;

  /// Called with the PE's lock held.
  void wake(heap::Node* node, bool granted) override;

 private:
  friend class Worker;
  friend class Workers;
  friend class ThreadPool;
  static void body(void* self);

  Workers& workers_;
  Fiber fiber_;
  heap::Node* spark_ = nullptr;
  const heap::Code* step_ = nullptr;  // of distributed data, of whose shards that is one
  std::function<void()> root_;
  bool done_ = false;
  bool granted_ = false;
  bool has_blocked_ = false;
  heap::Node* waiting_for_ = nullptr;
  Seals seals_;
  Meter meter_;                   // of the spark that it evaluates
  Worker* bound_to_ = nullptr;    // where alone it may go on
  std::atomic<bool> left_{true};  // its stack: woken, it may still be on its way out of it
  std::uint32_t number_ = 0;      // in the event log
  std::size_t place_ = 0;         // among the PE's blocked threads
  std::size_t index_ = 0;         // among all of the PE's
  Thread* next_ = nullptr;        // in the thread pool
};

}  // namespace trawl::sched
