// A lightweight thread: evaluates one spark, on a fiber of its own, so that it can block.
#pragma once

#include <functional>

#include "rts/heap/sharing.hpp"
#include "rts/sched/fiber.hpp"

namespace trawl::sched {

class Worker;

/// Stays with the worker that made it.
class Thread final : public heap::Sleeper {
 public:
  Thread(Worker& worker, std::size_t stack_size);

  /// What it waits for; nullptr while it is not blocked. Guarded by the PE's lock.
  heap::Node* waiting_for() const noexcept { return waiting_for_; }
  /// The spark that it evaluates; nullptr: the program's root.
  heap::Node* spark() const noexcept { return spark_; }

  /// Called with the PE's lock held.
  void wake(heap::Node* node, bool granted) override;

 private:
  friend class Worker;
  friend class Crew;
  static void body(void* self);

  Worker& worker_;
  Fiber fiber_;
  heap::Node* spark_ = nullptr;
  std::function<void()> root_;
  bool done_ = false;
  bool granted_ = false;
  heap::Node* waiting_for_ = nullptr;
  std::size_t place_ = 0;   // among the crew's blocked threads
  Thread* next_ = nullptr;  // in the worker's inbox
};

}  // namespace trawl::sched
