#include "rts/sched/spark_queue.hpp"

#include <algorithm>
#include <utility>

namespace trawl::sched {

// The deque's memory is scanned by the collector, so what leaves it is cleared.

void SparkQueue::add(heap::Node* spark) {
  const std::lock_guard lock(lock_);
  if (sparks_.size() >= look_at_) leave_out_fizzled();
  sparks_.push_back(spark);
  count_.store(sparks_.size(), std::memory_order_relaxed);
}

// A thread that needs placed thunks evaluates them itself where there is one worker, who then never
// comes by here. (One that is exported may only be claimed, for a look.) Next time is when the
// queue has doubled: so a spark is looked at twice or so.
void SparkQueue::leave_out_fizzled() {
  const auto end = std::remove_if(sparks_.begin(), sparks_.end(), [](const heap::Node* spark) {
    const auto state = spark->state();
    return state != heap::State::unevaluated && state != heap::State::exported;
  });
  fizzled_.fetch_add(static_cast<std::uint64_t>(sparks_.end() - end), std::memory_order_release);
  std::fill(end, sparks_.end(), nullptr);
  sparks_.erase(end, sparks_.end());
  look_at_ = std::max(few, 2 * sparks_.size());
}

heap::Node* SparkQueue::take() {
  if (size() == 0) return nullptr;
  const std::lock_guard lock(lock_);
  if (sparks_.empty()) return nullptr;
  heap::Node* spark = std::exchange(sparks_.front(), nullptr);
  sparks_.pop_front();
  count_.store(sparks_.size(), std::memory_order_relaxed);
  return spark;
}

}  // namespace trawl::sched
