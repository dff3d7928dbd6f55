#include "rts/sched/demand.hpp"

#include <cstdint>

#include "rts/error.hpp"
#include "rts/heap/thunk.hpp"

namespace trawl {
namespace sched {

void refuse_outside_of_a_run() {
  throw Error("a thunk can only be sparked or evaluated inside of trawl::run");
}

void demand(heap::Node* node) {
  worker_here().let_others_run();
  while (!node->finished()) {
    Worker& worker = worker_here();  // another one, once the thread has been blocked
    bool granted = false;
    if (node->move(heap::State::unevaluated, heap::State::black_hole)) {
      granted = true;
      if (worker.pool.take_back(node)) worker.counters.add(Count::sparks_subsumed);
    } else {
      worker.block_on(node, granted);
    }
    if (granted) node->code().evaluate(node);
  }
}

void fetch(heap::Node* node) {
  if (node->state() != heap::State::fetch_me) return;
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  host.sharing().fetch_early(node);
}

void spark(heap::Node* node) {
  if (node->state() != heap::State::unevaluated) return;
  Worker& worker = worker_here();
  worker.counters.add(Count::sparks_created);
  worker.pool.push(node);
}

std::size_t room_for_sparks() noexcept {
  return this_worker == nullptr ? SIZE_MAX : this_worker->pool.room();
}

}  // namespace sched

void heap::notify_waiters(Node* node) {
  auto& host = sched::worker_here().host();
  try {
    const std::lock_guard lock(host.lock());
    host.sharing().release(node);
  } catch (const Error& e) {  // its value can't be packed
    host.fail(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    host.fail_without_memory();
  }
}

}  // namespace trawl
