// How long a worker has lived, and what it was at: for whoever asks meanwhile.
#include "rts/fabric/fabric.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/effort.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {

void Worker::begin_life() noexcept {
  messages.forget();
  born_ = fabric_.now();
}

Nanos Worker::idle_time() const noexcept {
  const auto sum = idle_sum_.load(std::memory_order_relaxed);
  return idle() ? sum + fabric_.now() - idle_since_.load(std::memory_order_relaxed) : sum;
}

Nanos Worker::messages_while_idle() const noexcept {
  const auto before = static_cast<Nanos>(messages_while_idle_.value());
  return idle() ? before + messages.sum() - messages_before_idle_ : before;
}

Nanos Worker::processor_time() const noexcept {
  const auto clock = processor_clock_.load(std::memory_order_relaxed);
  return clock == no_clock ? 0 : read_clock(clock);
}

Nanos Worker::life_time() const noexcept {
  return born_ < 0 ? 0 : fabric_.now() - born_;
}

Effort effort_here() {
  worker_here().let_others_run(Moment::in_thread);  // simulated: up to here
  auto& workers = worker_here().workers();
  return {workers.fabric().now(), workers.busy_time()};
}

}  // namespace trawl::sched
