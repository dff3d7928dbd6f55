#include "rts/sched/static_guard.hpp"

#include <atomic>

#include <cxxabi.h>
#include <dlfcn.h>

#include "rts/inline/demand.hpp"
#include "rts/inline/error.hpp"
#include "rts/sched/worker.hpp"

namespace trawl::sched {
namespace {

// A fiber is never left while it initialises, but in a simulation, where PEs take turns: then the
// newest counts.
struct Initialising {
  const Fiber* fiber = nullptr;
  unsigned depth = 0;
};
constinit thread_local Initialising initialising;

const Fiber* fiber_here() noexcept {
  return this_worker != nullptr ? &this_worker->current_fiber() : nullptr;
}

void begin() noexcept {
  const Fiber* here = fiber_here();
  if (here == nullptr) return;
  if (initialising.fiber != here) initialising = {here, 0};
  ++initialising.depth;
}

void end() noexcept {
  if (initialising.fiber == nullptr || initialising.fiber != fiber_here()) return;
  if (--initialising.depth == 0) initialising.fiber = nullptr;
}

/// The C++ runtime's own, which ours stands before.
template <class F>
F* next(std::atomic<F*>& known, const char* name) {
  F* function = known.load(std::memory_order_relaxed);
  if (function != nullptr) return function;
  function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
  known.store(function, std::memory_order_relaxed);
  return function;
}

using Guard = __cxxabiv1::__guard;
constinit std::atomic<int (*)(Guard*)> next_acquire{nullptr};
constinit std::atomic<void (*)(Guard*)> next_release{nullptr};
constinit std::atomic<void (*)(Guard*)> next_abort{nullptr};

}  // namespace

bool in_static() noexcept {
  return initialising.fiber != nullptr && initialising.fiber == fiber_here();
}

void refuse_in_static() {
  if (!in_static()) return;
  throw Error(
      "force or sync would have to wait inside of the initialisation of a function's static "
      "variable, which others may wait for: force the value before, or keep a Lazy in the "
      "variable");
}

}  // namespace trawl::sched

extern "C" int __cxxabiv1::__cxa_guard_acquire(__guard* guard) {
  const int begins = trawl::sched::next(trawl::sched::next_acquire, "__cxa_guard_acquire")(guard);
  if (begins != 0) trawl::sched::begin();
  return begins;
}

extern "C" void __cxxabiv1::__cxa_guard_release(__guard* guard) noexcept {
  trawl::sched::end();
  trawl::sched::next(trawl::sched::next_release, "__cxa_guard_release")(guard);
}

extern "C" void __cxxabiv1::__cxa_guard_abort(__guard* guard) noexcept {
  trawl::sched::end();
  trawl::sched::next(trawl::sched::next_abort, "__cxa_guard_abort")(guard);
}
