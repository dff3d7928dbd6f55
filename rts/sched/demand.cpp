#include "rts/inline/demand.hpp"

#include <cstdint>
#include <utility>

#include "rts/inline/error.hpp"
#include "rts/inline/thunk.hpp"
#include "rts/sched/recorder.hpp"
#include "rts/sched/static_guard.hpp"
#include "rts/sched/worker.hpp"

namespace trawl {
namespace sched {

void refuse_outside_of_a_run() {
  throw Error(
      "par, force, spawn, sync, fetch, Bound and Shared are for the root and what it calls, and "
      "for the functions of thunks, inside of trawl::run; a thread that the program has started "
      "itself (std::thread, "
      "OpenMP, TBB), or that trawl::blocking uses, can't use them: give it values that were forced "
      "before");
}

heap::Node* reclaim(OwnerEnd& end, Slot* slot) {
  if (slot == nullptr)
    throw Error(
        "sync() was called again on what spawn returned: it gives its result once; keep that in a "
        "variable");
  worker_here().let_others_run(Moment::in_thread);
  auto& pool = static_cast<SparkPool&>(end);
  return pool.reclaim(slot, &worker_here().pool == &pool);
}

namespace {

// Nobody else evaluates anything: what is a black hole waits for itself.
void demand_recorded(Worker& worker, heap::Node* node) {
  if (node->move(heap::State::unevaluated, heap::State::black_hole)) {
    const Apart apart;
    if (worker.recorder()->evaluate(node)) worker.counters.add(Count::sparks_subsumed);
  } else if (!node->finished()) {
    refuse_in_static();
    bool granted = false;
    worker.block_on(node, granted);
  }
}

// All that has to come back saves registers: so none of it is in `demand`.

[[gnu::noinline]] void evaluate_within_scope(heap::Node* node) {
  const Apart apart;
  node->code().evaluate(node);
}

// A thief may be at its spark; the node is ours all the same.
[[gnu::cold, gnu::noinline]] void evaluate_contended(heap::Node* node) {
  Worker& worker = worker_here();
  if (worker.pool.take_back_contended()) worker.counters.add(Count::sparks_subsumed);
  evaluate_apart(worker, node);
}

// It was `unevaluated`, and is a black hole now.
void evaluate_claimed(Worker& worker, heap::Node* node) {
  if (worker.simulated()) node->mark(heap::Node::waited);
  if (worker.pool.take_back(node)) worker.counters.add(Count::sparks_subsumed);
  evaluate_apart(worker, node);
}

[[gnu::noinline]] void demand_slowly(heap::Node* node) {
  Worker* worker = &worker_here();
  if (worker->is_special()) {
    if (worker->recorder() != nullptr) return demand_recorded(*worker, node);
    worker->let_others_run(Moment::in_thread);
  }
  while (!node->finished()) {
    if (node->move(heap::State::unevaluated, heap::State::black_hole))
      return evaluate_claimed(*worker, node);
    refuse_in_static();
    bool granted = false;
    worker->block_on(node, granted);
    if (granted) return evaluate_apart(*current_worker(), node);
    worker = current_worker();  // perhaps another
  }
}

}  // namespace

void demand(heap::Node* node) {
  Worker& worker = worker_here();
  const bool ours =
      !worker.is_special() && node->move(heap::State::unevaluated, heap::State::black_hole);
  if (!ours) [[unlikely]]
    return demand_slowly(node);
  const auto taken = worker.pool.take_back_quickly(node);
  if (taken == SparkPool::Taken::maybe) [[unlikely]]
    return evaluate_contended(node);
  if (taken == SparkPool::Taken::yes) worker.counters.add(Count::sparks_subsumed);
  if (worker.scope != nullptr) [[unlikely]]
    return evaluate_within_scope(node);
  node->code().evaluate(node);
}

bool evaluate_if_left(heap::Node* node) {
  if (node->state() != heap::State::unevaluated) return false;
  Worker& worker = worker_here();
  if (worker.recorder() != nullptr) {
    demand_recorded(worker, node);
    return true;
  }
  worker.let_others_run(Moment::in_thread);
  if (!node->move(heap::State::unevaluated, heap::State::black_hole)) return false;
  evaluate_claimed(worker, node);
  return true;
}

void abandon(heap::Node* node, heap::Failure* why) {
  if (worker_here().recorder() != nullptr) return;  // which still knows the spark
  if (!node->move(heap::State::unevaluated, heap::State::black_hole)) return;
  node->code().drop_arguments(node);
  heap::failure_of(node) = why;
  heap::finish(node, heap::State::exception);
}

void fetch(heap::Node* node) {
  if (node->state() != heap::State::fetch_me) return;
  worker_here().let_others_run(Moment::in_thread);
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  host.shared_heap().fetch_early(node);
}

// It keeps its name until its arguments' lent arrays are given back, and a FETCH of the slot before
// it would take it along. Nobody asks for itself.
void hide(heap::Node* node) {
  if ((node->word.load(std::memory_order_relaxed) & heap::Node::named) == 0) return;
  const std::lock_guard lock(worker_here().host().lock());
  node->settle(heap::State::value, heap::State::black_hole);
}

void spark(heap::Node* node) {
  if (node->state() != heap::State::unevaluated) return;
  Worker& worker = worker_here();
  worker.counters.add(Count::sparks_created);
  if (!worker.pool.push_quickly(node)) [[unlikely]]
    spark_slowly(node, __builtin_return_address(0));
}

void spark_kept(heap::Node* node, const heap::Node* purpose) {
  worker_here().kept_sparks.keep(node, purpose);
  spark(node);
}

void let_others_run() {
  if (Worker* worker = current_worker(); worker != nullptr)
    worker->let_others_run(Moment::in_thread);
}

std::size_t room_for_sparks(std::size_t wanted) noexcept {
  Worker* worker = current_worker();
  return worker == nullptr ? SIZE_MAX : worker->pool.room(wanted);
}

const void* scope() {
  Worker& worker = worker_here();
  worker.let_others_run(Moment::in_thread);
  return current_worker()->scope;
}

const void* enter_scope(const void* scope) {
  return std::exchange(worker_here().scope, scope);
}

}  // namespace sched

// A simulated thread has done its work, but not yet at the time it is for others: until then the
// value is hidden from them. All that a simulated worker evaluates is marked so that it comes here.
static void finish_in_time(sched::Worker& worker, heap::Node* node) {
  using heap::State;
  const auto outcome = node->state();
  node->settle(outcome, State::black_hole);
  worker.let_others_run(sched::Moment::in_thread);
  node->settle(State::black_hole, outcome);
  node->unmark(heap::Node::waited);
}

void heap::notify_waiters(Node* node) {
  if (sched::worker_here().simulated()) finish_in_time(sched::worker_here(), node);
  auto& worker = sched::worker_here();
  auto& host = worker.host();
  try {
    const std::lock_guard lock(host.lock());
    const auto giving = worker.giving();
    host.shared_heap().release(node);
  } catch (const Error& e) {  // its value can't be packed
    host.fail(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    host.fail_without_memory();
  }
}

}  // namespace trawl
