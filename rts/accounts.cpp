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
  at(sum, Count::sparks_fizzled) += workers.arrived_fizzled();
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

// What goes on meanwhile may be counted in one place already, and not yet in another.
std::uint64_t never_negative(Nanos time) {
  return static_cast<std::uint64_t>(std::max<Nanos>(0, time));
}

// What messages took, and collections, is measured apart: the rest of a worker's busy and idle time
// is what remains. Of short messages it is guessed, and can't be more than that. A spare worker is
// nobody's while it is idle.
void add_times(Statistics& sum, const sched::Workers& workers) {
  sum.workers.reserve(workers.all().size());
  for (const auto& worker : workers.all()) {
    const auto stood_busy = static_cast<Nanos>(worker->stood.while_busy.value());
    const auto stood_idle = static_cast<Nanos>(worker->stood.while_idle.value());
    const auto idle_time = worker->idle_time();
    const Nanos idle = workers.is_spare(*worker) ? 0 : idle_time - stood_idle;
    const Nanos busy = worker->life_time() - idle_time - stood_busy;
    const auto all_busy = never_negative(busy);
    const auto all_idle = never_negative(idle);
    const Nanos while_idle = worker->messages_while_idle();
    const auto messages_idle = std::min(never_negative(while_idle), all_idle);
    const auto messages_busy =
        std::min(never_negative(worker->messages.sum() - while_idle), all_busy);
    at(sum, Count::idle_time) += all_idle;
    at(sum, Count::busy_time) += all_busy;
    sum.workers.push_back({.mutator = all_busy - messages_busy,
                           .collector = never_negative(stood_busy + stood_idle),
                           .communication = messages_busy + messages_idle,
                           .idle = all_idle - messages_idle});
  }
}

}  // namespace

// The first worker may go on before the end is noted. A spare one that has just been made is not
// idle yet.
void CollectionTimes::begin(Nanos now, const sched::Workers& workers) noexcept {
  begun_ = now;
  for (const auto& worker : workers.all()) {
    auto& stood = worker->stood;
    const bool spare = workers.is_spare(*worker);
    stood.now = nullptr;
    if (!worker->alive()) continue;
    if (spare ? worker->running() : !worker->idle())
      stood.now = &stood.while_busy;
    else if (!spare)
      stood.now = &stood.while_idle;
  }
}

void CollectionTimes::end(Nanos now, const sched::Workers& workers) noexcept {
  for (const auto& worker : workers.all())
    if (worker->stood.now != nullptr)
      worker->stood.now->add(static_cast<std::uint64_t>(now - begun_));
}

Statistics gather(const Counters& counters, sched::Workers& workers,
                  heap::SharedHeap& shared_heap) {
  Statistics sum{};
  add_sparks(sum, workers, counters);
  add_times(sum, workers);
  const auto collector = heap::collector_statistics();
  at(sum, Count::gc_count) = collector.collections;
  at(sum, Count::gc_time) = static_cast<std::uint64_t>(collector.time);
  at(sum, Count::heap_bytes) = collector.heap_bytes;
  at(sum, Count::live_bytes) = collector.live_bytes;
  at(sum, Count::allocated_bytes) = collector.allocated_bytes;
  at(sum, Count::slots_leaked) = shared_heap.addresses().leaked_slots();
  at(sum, Count::slots) = shared_heap.addresses().slots();
  at(sum, Count::proxies) = shared_heap.addresses().proxies();
  return sum;
}

trace::Pulse pulse_of(const Statistics& statistics, const sched::Workers& workers, Nanos now) {
  const auto count = [&](Count what) { return statistics[static_cast<std::size_t>(what)]; };
  const auto collector = heap::collector_statistics();
  const auto load = workers.load();
  trace::Pulse pulse;
  pulse.time = now;
  pulse.sparks_created = count(Count::sparks_created);
  pulse.sparks_converted = count(Count::sparks_converted);
  pulse.sparks_subsumed = count(Count::sparks_subsumed);
  pulse.sparks_fizzled = count(Count::sparks_fizzled);
  pulse.sparks_exported = count(Count::sparks_exported);
  pulse.sparks_imported = count(Count::sparks_imported);
  pulse.threads_created = count(Count::threads_created);
  pulse.fish_sent = count(Count::fish_sent);
  pulse.fish_answered = count(Count::fish_answered);
  pulse.fish_in_vain = count(Count::fish_home_empty);
  pulse.messages_sent = count(Count::messages_sent);
  pulse.message_bytes = count(Count::message_bytes);
  pulse.messages_received = count(Count::messages_received);
  for (const auto& times : statistics.workers) {
    pulse.mutator += times.mutator;
    pulse.collector += times.collector;
    pulse.communication += times.communication;
    pulse.idle += times.idle;
  }
  pulse.collections = collector.collections;
  pulse.heap_bytes = collector.heap_bytes;
  pulse.heap_used = collector.heap_bytes - std::min(collector.free_bytes, collector.heap_bytes);
  pulse.sparks = load.sparks;
  pulse.runnable = load.runnable;
  pulse.blocked = static_cast<std::uint32_t>(workers.blocked().size());
  pulse.workers = static_cast<std::uint16_t>(workers.size());
  pulse.busy = static_cast<std::uint16_t>(workers.running());
  return pulse;
}

}  // namespace trawl
