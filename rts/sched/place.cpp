// Thunks for a certain PE.
#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "rts/balance/tables.hpp"
#include "rts/heap/code.hpp"
#include "rts/host/memory.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/places.hpp"
#include "rts/sched/recorder.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

bool send(Worker& worker, heap::Node* node, int pe) {
  auto& host = worker.host();
  const auto code = heap::logged_code(node);
  const std::lock_guard lock(host.lock());
  if (host.tables().lost(pe)) return false;
  try {
    if (!host.shared_heap().export_spark(node, pe)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  trace::note(worker.workers().log(), trace::Kind::spark_export, 0, static_cast<std::uint32_t>(pe),
              0, code);
  return true;
}

std::optional<std::uint32_t> place_of_data(Host& host, heap::Node* thunk) {
  const std::lock_guard lock(host.lock());
  try {
    return host.shared_heap().place_of_data(thunk);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

double memory_of(const balance::PeStatic& facts) {
  return facts.memory == 0 ? std::numeric_limits<double>::infinity()
                           : static_cast<double>(facts.memory);
}

/// Then copies are made as soon as they may be: until then more than one step is kept.
bool are_light() {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  return host.shared_heap().recipes().light();
}

std::uint32_t rounded(double number) {
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(number + 0.5, 0.0, most));
}

}  // namespace

// By what it is, not by its pace at the moment, which changes with who else is busy on its host:
// the cost of shards says what a PE really gets, and for longer.
std::vector<Site> sites() {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  const auto& tables = host.tables();
  std::vector<Site> all;
  for (std::uint32_t cluster = 0; cluster < tables.clusters(); ++cluster)
    for (const int pe : tables.members(cluster))
      all.push_back({pe, tables.static_of(pe).strength(), tables.static_of(pe).cores, cluster,
                     memory_of(tables.static_of(pe))});
  return all;
}

// Inside of a cluster nobody measures what a link carries.
Way way_between(int from, int to) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  const auto& tables = host.tables();
  const auto one = tables.cluster_of(from);
  const auto other = tables.cluster_of(to);
  Way way;
  if (from == to) return way;
  if (one == other) {
    way.latency = static_cast<double>(tables.lowest_latency());
    return way;
  }
  const int self = tables.self();
  const auto latency = from == self || to == self ? tables.latency_to(from == self ? to : from)
                                                  : tables.latency_between(one, other);
  if (latency.measured >= 0) way.latency = static_cast<double>(latency.one_way);
  auto bandwidth = tables.links().between(one, other).bytes_a_second;
  if (bandwidth == 0) bandwidth = tables.links().best();
  if (bandwidth != 0) way.bytes_per_nano = static_cast<double>(bandwidth) * 1e-9;
  return way;
}

int skeletons_between_copies() {
  auto& worker = worker_here();
  auto& host = worker.host();
  const std::lock_guard lock(host.lock());
  return host.shared_heap().addresses().recovers_placed() ? worker.workers().copies() : 0;
}

bool is_time_for_copies(double takes, std::int64_t& last) {
  auto& workers = worker_here().workers();
  const double share = are_light() ? 0 : workers.copy_share();
  const auto now = workers.fabric().now();
  const bool is_first = std::exchange(last, last == 0 ? now : last) == 0;
  if (share > 0 && (is_first || static_cast<double>(now - last) * share < takes)) return false;
  last = now;
  return true;
}

double time_of_new_memory() {
  return worker_here().workers().charge() ? 0 : trawl::time_of_new_memory();
}

void note_size(double bytes) {
  constexpr double light = 1 << 20;
  auto& worker = worker_here();
  const std::lock_guard lock(worker.host().lock());
  worker.host().shared_heap().recipes().set_light(bytes < light &&
                                                  worker.workers().copy_share() > 0);
}

void note_recipes(std::span<heap::Node* const> steps, std::span<const int> pes,
                  heap::Node* (*group_of)(std::span<heap::Node* const>)) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  auto& recipes = host.shared_heap().recipes();
  recipes.make_groups_by(group_of);
  for (auto i = steps.size(); i-- > 0;) recipes.note(steps[i], pes[i]);
}

void keep_step(heap::Node* step, heap::Node* same) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  host.shared_heap().recipes().stays(step, same);
}

bool is_lost(int pe) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  return host.tables().lost(pe);
}

bool also_from(heap::Node* node, heap::Node* source) {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  return host.shared_heap().also_from(node, source);
}

void note_decision(const Decision& decision, std::span<const Decision::Part> parts) {
  auto* log = worker_here().workers().log();
  const auto worker = static_cast<unsigned>(worker_here().index());
  trace::note(log, trace::Kind::balance, worker, rounded(decision.bytes / 1024),
              decision.moves ? 1 : 0, rounded(decision.before / 1000),
              rounded(decision.after / 1000));
  for (const auto& part : parts)
    trace::note(log, trace::Kind::balance_share, worker, static_cast<std::uint32_t>(part.pe),
                static_cast<std::uint16_t>(rounded(1000 * part.after)), rounded(1000 * part.before),
                part.come);
}

int pe_here() {
  return worker_here().workers().fabric().self();
}

int workers_here() {
  return static_cast<int>(worker_here().workers().size());
}

// To look takes the PE's lock, and 2 us where there are large values here.
bool Worker::seeks_data_of(const heap::Code& code) noexcept {
  constexpr std::uint32_t long_enough = 256;
  constexpr std::uint32_t seldom = 32;
  const auto times = ++sought_in_vain_[code.id];
  return times <= long_enough || times % seldom == 0;
}

namespace {

void spark_near_its_data(heap::Node* node, const void* caller) {
  worker_here().let_others_run(Moment::in_thread);
  Worker& worker = worker_here();
  const auto& code = node->code();
  if (worker.seeks_data_of(code)) {
    if (const auto pe = place_of_data(worker.host(), node)) {
      worker.note_data_of(code);
      worker.note_site(*node, caller);
      if (send(worker, node, static_cast<int>(*pe)))
        return worker.counters.add(Count::sparks_to_data);
    }
  }
  worker.pool.push(node, caller);
}

}  // namespace

// In this order, as another OS thread may learn of data at any moment, and refuses the quick way
// then.
void spark_slowly(heap::Node* node, const void* caller) {
  Worker& worker = worker_here();
  if (worker.knows_of_data_elsewhere()) return spark_near_its_data(node, caller);
  worker.pool.push(node, caller);
  if (worker.is_special()) return;  // its pool always refuses
  worker.pool.allow_quick();
  if (worker.knows_of_data_elsewhere()) worker.pool.refuse_quick();
}

void place(heap::Node* node, int pe) {
  if (node->state() != heap::State::unevaluated) return;
  worker_here().let_others_run(Moment::in_thread);
  Worker& worker = worker_here();
  worker.counters.add(Count::sparks_created);
  if (auto* const recorder = worker.recorder(); recorder != nullptr)
    return recorder->place(node, __builtin_return_address(0));
  worker.note_site(*node, __builtin_return_address(0));
  if (pe == worker.workers().fabric().self() || !send(worker, node, pe))
    worker.workers().add_arrived(node);
}

}  // namespace trawl::sched
