// Thunks for a certain PE.
#include <new>

#include "rts/balance/tables.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/places.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

bool send(Worker& worker, heap::Node* node, int pe) {
  auto& host = worker.host();
  const auto code = node->code().id;
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

}  // namespace

std::vector<Site> sites() {
  auto& host = worker_here().host();
  const std::lock_guard lock(host.lock());
  const auto& tables = host.tables();
  std::vector<Site> all;
  for (std::uint32_t cluster = 0; cluster < tables.clusters(); ++cluster)
    for (const int pe : tables.members(cluster))
      all.push_back({pe, tables.strength_now(pe), tables.static_of(pe).cores});
  return all;
}

int pe_here() {
  return worker_here().workers().fabric().self();
}

int workers_here() {
  return static_cast<int>(worker_here().workers().size());
}

void place(heap::Node* node, int pe) {
  if (node->state() != heap::State::unevaluated) return;
  if (worker_here().recorder() != nullptr) return spark(node);
  worker_here().let_others_run(Moment::in_thread);
  Worker& worker = worker_here();
  worker.counters.add(Count::sparks_created);
  if (pe == worker.workers().fabric().self() || !send(worker, node, pe))
    worker.workers().add_arrived(node);
}

}  // namespace trawl::sched
