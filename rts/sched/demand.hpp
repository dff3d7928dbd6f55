// What a running thread may ask for: a node's value, a spark for others. The slow halves of lang's
// force, fetch, par, spawn and sync.
#pragma once

#include <cstddef>

#include "rts/heap/node.hpp"
#include "rts/sched/spark_pool.hpp"
#include "rts/sched/worker.hpp"

namespace trawl::sched {

[[noreturn, gnu::cold]] void refuse_outside_of_a_run();

/// The worker under the calling code, until it blocks; throws Error outside of a run.
inline Worker& worker_here() {
  Worker* const worker = current_worker();
  if (worker == nullptr) [[unlikely]]
    refuse_outside_of_a_run();
  return *worker;
}

/// Returns when `node` has its value or exception: evaluates it, or waits for whoever does
/// (evaluate-and-die). Throws Error outside of a run.
void demand(heap::Node* node);

/// Asks for `node` if it lives on another PE; doesn't wait. Throws Error outside of a run.
void fetch(heap::Node* node);

/// Offers `node` to whoever has nothing to do. Throws Error outside of a run.
void spark(heap::Node* node);

/// SparkPool::reclaim by code on a thread; throws Error if `slot` is nullptr: the call was synced
/// before.
heap::Node* reclaim(SparkPool& pool, Slot* slot);

/// The same for a thunk that nobody else refers to: sparks are weak, so it is kept until somebody
/// has begun with it, or thousands have come after it.
void spark_kept(heap::Node* node);

/// How many sparks more find room here; outside of a run any number.
std::size_t room_for_sparks() noexcept;

}  // namespace trawl::sched
