#include "rts/sched/meter.hpp"

#include <algorithm>
#include <utility>

#include "rts/heap/collect.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/places.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {

Nanos Meter::clock(Worker& worker) noexcept {
  if (const auto simulated = worker.workers().processor_clock()) return simulated();
  return processor_time() - heap::collecting_time_here();
}

Nanos Meter::read(Worker& worker) noexcept {
  const auto now = clock(worker);
  if (!std::exchange(runs_, true)) since_ = now;
  return sum_ + now - since_;
}

void Meter::stop(Worker& worker) noexcept {
  if (runs_) sum_ = read(worker);
}

void Meter::go_on(Worker& worker) noexcept {
  if (runs_) since_ = clock(worker);
}

CostMark begin_cost() {
  Worker* const worker = current_worker();
  if (worker == nullptr) return {};
  return {worker->meter().read(*worker), worker->meter().told};
}

std::int64_t cost_since(const CostMark& begun) {
  Worker* const worker = current_worker();
  if (worker == nullptr) return 0;
  auto& meter = worker->meter();
  const auto used = meter.read(*worker) - begun.used;
  const auto own = std::max<Nanos>(used - (meter.told - begun.told), 0);
  meter.told = begun.told + used;
  return static_cast<std::int64_t>(static_cast<double>(own) / worker->workers().share_of_core());
}

std::int64_t used_here() {
  Worker* const worker = current_worker();
  return worker == nullptr ? 0 : worker->meter().read(*worker);
}

void add_used(std::int64_t used) {
  if (Worker* const worker = current_worker()) worker->meter().add(used);
}

}  // namespace trawl::sched
