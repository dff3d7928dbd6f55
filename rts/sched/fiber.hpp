// Stacks that ordinary C++ can block on.
#pragma once

#include <cstddef>

#include "rts/heap/collect.hpp"

namespace trawl::sched {

/// A stack with a guard below, or an OS thread's own; one runs on an OS thread at a time. What has
/// a stack of its own may be entered from any OS thread, once it has been left.
class Fiber {
 public:
  /// The stack that the calling OS thread started on.
  Fiber();
  /// A new stack of at least `bytes`; `body(argument)` runs on it from the first switch, and must
  /// not return. Throws Error when there is no memory for it.
  Fiber(std::size_t bytes, void (*body)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Called on this fiber: suspends it and runs `next`; returns when somebody switches back.
  void switch_to(Fiber& next);

  /// While suspended: what is on its stack keeps nothing alive until it runs again.
  void keep_nothing() noexcept { record_.stack_pointer = nullptr; }

 private:
  struct Entry;

  heap::StackRecord& record() noexcept;
  void arrive(void* context_left);

  void* context_ = nullptr;  // where to go on, while suspended
  Fiber* came_from_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  heap::StackRecord record_;
  void* sanitizer_ =
      nullptr;  // its fiber of the thread sanitizer, its fake stack of the address one
};

/// Makes a stack overflow on any fiber of this OS thread a message that names the flag
/// --trawl:stack-size, and an exit with code 1.
void catch_stack_overflow();

}  // namespace trawl::sched
