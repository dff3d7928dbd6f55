#include "rts/sched/aside.hpp"

#include <new>
#include <system_error>
#include <utility>

#include <sched.h>

#include "rts/heap/collect.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/error.hpp"
#include "rts/inline/promise.hpp"
#include "rts/sched/static_guard.hpp"
#include "rts/sched/worker.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {

Aside::~Aside() {
  {
    const std::lock_guard lock(lock_);
    leaving_ = true;
  }
  come_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Aside::add(const Call& call) {
  {
    const std::lock_guard lock(lock_);
    if (waiting_.size() >= free_ && threads_.size() < most_threads) {
      try {
        threads_.emplace_back([this] { serve(); });
        ++free_;
      } catch (const std::system_error& e) {
        if (threads_.empty())
          throw Error(std::string("there is no OS thread for what blocks: ") + e.what());
      }
    }
    waiting_.push_back(call);
    ++under_way_;
  }
  come_.notify_one();
}

void Aside::serve() {
  heap::mutator();
  for (Call call{}; take(call); call = {}) make(call);
}

bool Aside::take(Call& call) {
  std::unique_lock lock(lock_);
  come_.wait(lock, [this] { return leaving_ || !waiting_.empty(); });
  if (waiting_.empty()) return false;
  // What is popped stays in the deque's memory, which the collector scans.
  call = std::exchange(waiting_.front(), {});
  waiting_.pop_front();
  --free_;
  return true;
}

void Aside::make(const Call& call) {
  call.function(call.argument);
  {
    const std::lock_guard lock(lock_);
    ++free_;
  }
  heap::ResultOf<bool>::put(call.done, true);
  const std::lock_guard lock(host_.lock());
  call.done->settle(heap::State::black_hole, heap::State::value);
  const Giving giving(gives_, {trace::Giver::outside});
  host_.shared_heap().release(call.done);
  --under_way_;  // not before somebody is runnable: a PE is at rest without either
}

void call_aside(void (*call)(void*), void* argument) {
  Worker& worker = worker_here();
  // It may change something outside of the run: no PE that has seen that has it done twice.
  if (const auto* spark = worker.running_thread().spark(); spark != nullptr)
    worker.workers().note_splits(spark->code());
  if (worker.recorder() != nullptr) {  // it is to force as little as elsewhere
    set_this_worker(nullptr);
    call(argument);
    return set_this_worker(&worker);
  }
  if (worker.is_special()) return call(argument);
  refuse_in_static();
  heap::Node* const done = heap::make_promise<bool>();
  worker.workers().aside().add({call, argument, done});
  bool granted = false;
  // The call has this frame: without memory to block with, it is not left all the same.
  while (!done->finished()) try {
      current_worker()->block_on(done, granted);
    } catch (const std::bad_alloc&) {
      sched_yield();
    }
}

}  // namespace trawl::sched
