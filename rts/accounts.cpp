#include "rts/accounts.hpp"

#include <algorithm>

#include "rts/heap/collect.hpp"

namespace trawl {
namespace {

std::uint64_t& at(Statistics& statistics, Count count) {
  return statistics[static_cast<std::size_t>(count)];
}

// What became of all sparks is read first, how many were made last, and in between what takes some
// out of the first.
void add_sparks(Statistics& sum, sched::Workers& workers, const Counters& counters) {
  for (const auto& worker : workers.all()) {
    add_to(sum, worker->counters);
    at(sum, Count::sparks_fizzled) += worker->pool.fizzled();
  }
  add_to(sum, counters);
  std::uint64_t twice = 0;
  std::uint64_t created = 0;
  for (const auto& worker : workers.all()) {
    auto& pool = worker->pool;
    twice += pool.taken_twice();
    const auto refused_calls = pool.refused_calls();
    const auto promoted = pool.promoted();
    const auto calls = pool.calls();
    at(sum, Count::sparks_ignored) += pool.refused() + refused_calls;
    at(sum, Count::sparks_subsumed) += calls - refused_calls - promoted;
    created += calls;
  }
  at(sum, Count::sparks_fizzled) -= std::min(twice, at(sum, Count::sparks_fizzled));
  for (const auto& worker : workers.all()) created += worker->counters[Count::sparks_created];
  at(sum, Count::sparks_created) = created + counters[Count::sparks_created];
}

void add_times(Statistics& sum, const sched::Workers& workers, const CollectionTimes& collections) {
  Nanos idle = -collections.while_idle();
  Nanos busy = -collections.while_busy();
  for (const auto& worker : workers.all()) {
    const auto idle_time = worker->idle_time();
    if (!workers.is_spare(*worker)) idle += idle_time;
    busy += worker->life_time() - idle_time;
  }
  at(sum, Count::idle_time) = static_cast<std::uint64_t>(std::max<Nanos>(0, idle));
  at(sum, Count::busy_time) = static_cast<std::uint64_t>(std::max<Nanos>(0, busy));
}

}  // namespace

// The first worker may go on before the end is noted.
void CollectionTimes::begin(Nanos now, const sched::Workers& workers) noexcept {
  begun_ = now;
  idle_ = busy_ = 0;
  for (const auto& worker : workers.all()) {
    if (!worker->alive()) continue;
    const bool spare = workers.is_spare(*worker);  // one that has just been made is not idle yet
    if (spare ? worker->running() : !worker->idle())
      ++busy_;
    else if (!spare)
      ++idle_;
  }
}

void CollectionTimes::end(Nanos now) noexcept {
  while_idle_ += (now - begun_) * idle_;
  while_busy_ += (now - begun_) * busy_;
}

Statistics gather(const Counters& counters, sched::Workers& workers, heap::SharedHeap& shared_heap,
                  const CollectionTimes& collections) {
  Statistics sum{};
  add_sparks(sum, workers, counters);
  add_times(sum, workers, collections);
  const auto collector = heap::collector_statistics();
  at(sum, Count::gc_count) = collector.collections;
  at(sum, Count::gc_time) = static_cast<std::uint64_t>(collector.time);
  at(sum, Count::heap_bytes) = collector.heap_bytes;
  at(sum, Count::slots) = shared_heap.addresses().slots();
  at(sum, Count::proxies) = shared_heap.addresses().proxies();
  return sum;
}

}  // namespace trawl
