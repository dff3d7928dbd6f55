#include "rts/recover/again.hpp"

#include <mutex>
#include <new>

#include <unistd.h>

#include "rts/heap/code.hpp"
#include "rts/heap/failure.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/thunk.hpp"
#include "rts/recover/steps.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::recover {
namespace {

using heap::Node;
using heap::State;

constexpr std::size_t target_at = sizeof(Node::word);

constexpr std::size_t twin_at = target_at + sizeof(Node*);

Node*& target_in(Node* again) {
  return *reinterpret_cast<Node**>(again->payload(target_at));
}
Node*& twin_in(Node* again) {
  return *reinterpret_cast<Node**>(again->payload(twin_at));
}

void evaluate_twin(Node* spark, Node* twin) {
  sched::demand(twin);
  auto& host = sched::worker_here().host();
  const std::lock_guard lock(host.lock());
  const auto giving = sched::worker_here().giving();
  host.shared_heap().evaluated_again(spark, twin);
}

void evaluate(Node* again) {
  Node* const target = std::exchange(target_in(again), nullptr);
  if (Node* const twin = std::exchange(twin_in(again), nullptr))
    evaluate_twin(target, twin);
  else
    make_again(target);
  heap::finish(again, State::value);
}

[[noreturn]] void stays() {
  throw BadBytes("it has a thunk that never leaves its PE");
}

/// Of thunks that never leave their PE, and that no program knows.
struct AgainCode : heap::Code {
  AgainCode() : Code("trawl::recover::again", &heap::type_tag<AgainCode>, 4 * sizeof(Node*)) {
    placed = true;
    evaluate = &recover::evaluate;
    promote = nullptr;
    drop_arguments = [](Node* node) { target_in(node) = twin_in(node) = nullptr; };
    move_arguments = nullptr;
    pack_arguments = [](Node*, heap::Packer&) { stays(); };
    unpack_arguments = [](Node*, heap::Unpacker&) { stays(); };
    pack_value = [](Node*, heap::Packer&) { stays(); };
    unpack_value = [](Node*, heap::Unpacker&) { stays(); };
    result_at = target_at;
    plain_result = 0;
    subject = [](Node* node) -> const Node* {
      const Node* const target = target_in(node);
      return target != nullptr ? target : node;
    };
  }
};
const AgainCode again_code;

// Nullptr: it can't be found, or is what is to be made itself.
Node* find(const heap::Route& route, const Node* target) {
  Node* at = route.from;
  evaluate_steps(at);
  for (const auto handle : route.handles) {
    if ((handle & heap::Lineage::in_arguments) == 0) {
      sched::demand(at);
      if (at->state() != State::value) return nullptr;
    }
    auto& host = sched::worker_here().host();
    const std::lock_guard lock(host.lock());
    at = host.shared_heap().is_being_read(at) ? nullptr : heap::handle_of(at, handle);
    if (at == nullptr || at == target) return nullptr;
  }
  sched::demand(at);
  return at;
}

}  // namespace

void make_again(Node* node) {
  auto& heap = sched::worker_here().host().shared_heap();
  std::optional<heap::Route> route;
  {
    const std::lock_guard lock(sched::worker_here().host().lock());
    route = heap.route(node);
  }
  Node* found = route && route->from != nullptr ? find(*route, node) : nullptr;
  // Made by a function that is not pure: its value is another one.
  if (found != nullptr && found->code().result_type != node->code().result_type) found = nullptr;
  const std::lock_guard lock(sched::worker_here().host().lock());
  const auto giving = sched::worker_here().giving();
  heap.remade(node, found);
}

Node* again(Node* node) {
  return again(node, nullptr);
}

Node* again(Node* spark, Node* twin) {
  auto* thunk = static_cast<Node*>(heap::allocate(again_code.bytes));
  target_in(thunk) = spark;
  twin_in(thunk) = twin;
  thunk->init(again_code, State::unevaluated);
  return thunk;
}

}  // namespace trawl::recover

namespace trawl::heap {

bool can_be_remade(Node* node) {
  auto& host = sched::worker_here().host();
  const std::lock_guard lock(host.lock());
  return host.shared_heap().begin_to_remake(node);
}

// Where the first way leads nowhere, the next is gone meanwhile, on another thread.
void remake(Node* node) {
  recover::make_again(node);
  sched::demand(node);
}

// Nobody may go on with what was not computed.
[[noreturn]] static void wait_for_the_end(sched::Worker& worker) {
  while (true) {
    constexpr Nanos a_moment = 1'000'000;
    if (const auto work = worker.workers().charge())
      work(worker, a_moment);
    else
      pause();
  }
}

// Only what the root needs is missed: all else that is lost is evaluated again.
void note_lost_needed() {
  auto& worker = sched::worker_here();
  worker.host().fail(
      "what the program needs was lost with a PE, and can't be made again: it is distributed data, "
      "or was made from what only lost PEs had",
      lost_with_a_pe);
  wait_for_the_end(worker);
}

void note_lost_ignored() {
  auto* worker = sched::current_worker();
  if (worker == nullptr) return;
  worker->host().fail(
      "a function has caught, by catch (...), what is thrown where a value is lost with a PE, and "
      "goes on: let it catch exceptions by their types",
      lost_with_a_pe);
  if (worker->running_thread().spark() == nullptr) wait_for_the_end(*worker);
}

}  // namespace trawl::heap
