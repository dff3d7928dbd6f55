// What a shared heap does when a PE has died (rts/recover/README.md).
#include <algorithm>

#include "rts/heap/failure.hpp"
#include "rts/heap/packet.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::heap {

using fabric::Kind;

namespace {

/// A value that this thunk makes; nullptr: nothing does.
Lineage* lineage_of(Node* source) {
  return source == nullptr ? nullptr : new (allocate(sizeof(Lineage))) Lineage{source};
}

/// What arrives is none of the message that is being read.
class Unnoted {
 public:
  explicit Unnoted(GlobalAddressTable& addresses)
      : addresses_(addresses), outer_(addresses.note_arrivals(nullptr)) {}
  ~Unnoted() { addresses_.note_arrivals(outer_); }
  Unnoted(const Unnoted&) = delete;
  Unnoted& operator=(const Unnoted&) = delete;

 private:
  GlobalAddressTable& addresses_;
  std::vector<Reference>* outer_;
};

}  // namespace

// ---- a death -----------------------------------------------------------------------------------

// In this order: what is evaluated again is not sent to who has died; what it was to answer is.
void SharedHeap::dead(std::uint32_t pe) {
  addresses_.note_dead(pe);
  forget_relayed(pe);
  forget_requests_of(pe);
  for (const auto& [thunk, spark, acknowledged] : addresses_.sent_to(pe)) {
    ++(spark && !acknowledged ? cases_.exported : cases_.moved);
    revive(thunk, spark);
  }
  // It may have been about to send any of them on.
  for (Node* proxy : addresses_.fetched()) {
    const auto [at, ticket, gone] = addresses_.target(proxy).value();
    if (gone) {
      seek(proxy);
    } else {
      ++cases_.fetched;
      send_fetch({at, addresses_.self(), ticket, at, true});
    }
  }
}

void SharedHeap::write_off(std::uint64_t slot, Weight weight) {
  addresses_.give_back(slot, weight);
  counters_.add(Count::slots_corrected);
}

void SharedHeap::forget_requests_of(std::uint32_t pe) {
  std::vector<Node*> owed;
  for (auto& [key, queue] : queues_) {
    const bool owes =
        std::any_of(queue.remotes.begin(), queue.remotes.end(),
                    [pe](const Remote& remote) { return remote.pe == pe && remote.weight != 0; });
    const auto end = std::remove_if(queue.remotes.begin(), queue.remotes.end(),
                                    [pe](const Remote& remote) { return remote.pe == pe; });
    if (end == queue.remotes.end()) continue;
    queue.remotes.erase(end, queue.remotes.end());
    if (owes) owed.push_back(queue.node);
  }
  for (Node* node : owed) {
    const auto state = node->state();
    const auto found = queues_.find(Hidden(node));
    const bool wanted = !found->second.waiters.empty() || !found->second.remotes.empty();
    if (!wanted && state == State::unevaluated)
      drop_import(node);
    else if (state == State::black_hole)
      ++cases_.orphaned;
  }
  // What is left empty goes: only then, as nobody else looks for it.
  std::vector<Node*> empty;
  for (auto& [key, queue] : queues_)
    if (queue.waiters.empty() && queue.remotes.empty()) empty.push_back(queue.node);
  for (Node* node : empty) erase(queues_.find(Hidden(node)));
}

// Nobody wants it any more; others may still know it by name.
void SharedHeap::drop_import(Node* thunk) {
  const bool named = (thunk->word.load(std::memory_order_relaxed) & Node::named) != 0;
  if (named || !thunk->move(State::unevaluated, State::black_hole)) return;
  ++cases_.dropped;
  thunk->code().drop_arguments(thunk);
  failure_of(thunk) = lost_failure();
  thunk->settle(State::black_hole, State::exception);
}

// Its arguments are still here.
void SharedHeap::take_back(Node* thunk) {
  counters_.add(Count::thunks_revived);
  addresses_.forget(thunk);
  thunk->settle(State::exported, State::unevaluated);
}

void SharedHeap::revive(Node* thunk, bool spark) {
  take_back(thunk);
  if (queues_.contains(Hidden(thunk)))
    arrived(thunk);
  else if (spark)
    add_spark_(thunk);
}

// ---- what was on a dead PE ---------------------------------------------------------------------

// It comes from what it was made of before, or else from who gave the reference: he has kept the
// arguments of what he gave it with.
void SharedHeap::seek(Node* proxy) {
  auto* witness = addresses_.witness(proxy);
  if (witness != nullptr && witness->lineage != nullptr) {
    if (std::exchange(witness->fetching, true)) return;  // it is being made
    ++witness->tries;
    return recovery_.remake(proxy);
  }
  const auto [at, ticket, gone] = addresses_.target(proxy).value();
  // It was given up, and may still be there.
  if (gone && !addresses_.is_dead(at.pe)) return send_fetch({at, addresses_.self(), ticket, at});
  if (witness == nullptr || witness->giver == Witness::nobody ||
      addresses_.is_dead(witness->giver)) {
    if (!remake_otherwise(proxy)) lose(proxy);
    return;
  }
  ++cases_.giver;
  fabric::send(outbox_, static_cast<int>(witness->giver), Fetch{at, addresses_.self(), ticket, at});
}

// Asked by anybody: a proxy that lives on a dead PE, or on a living one.
bool SharedHeap::can_be_sought(Node* proxy) const {
  if (!addresses_.recovers()) return true;
  const auto target = addresses_.target(proxy);
  if (!target || !addresses_.is_dead(target->at.pe)) return true;
  const auto* witness = addresses_.witness(proxy);
  if (witness == nullptr) return false;
  return witness->lineage != nullptr || witness->others != nullptr ||
         (witness->giver != Witness::nobody && !addresses_.is_dead(witness->giver));
}

void SharedHeap::lose(Node* proxy) {
  counters_.add(Count::values_lost);
  const auto state = proxy->state();
  addresses_.will_hold_other(proxy);
  failure_of(proxy) = lost_failure();
  proxy->settle(state, State::exception);
  release(proxy);
}

// A FETCH from who was given a reference to what has died by this PE.
void SharedHeap::on_fetch_of_dead(const Fetch& message) {
  const auto& [target, pe, ticket, key, direct] = message;
  if (!addresses_.is_dead(target.pe)) throw BadBytes("it fetches a node of another PE");
  const Remote remote{pe, ticket, key, 0};
  Node* node = addresses_.proxy(target);
  if (node == nullptr && (node = addresses_.formerly(target)) != nullptr) ++cases_.formerly;
  if (node == nullptr) return send_lost(remote);
  // Who would have to ask further may be asked by whom he asks.
  auto* witness = addresses_.witness(node);
  const auto state = node->state();
  const auto elsewhere = state == State::fetch_me || state == State::fetching
                             ? addresses_.target(node)
                             : std::nullopt;  // nor of what is here, and is being made again
  const auto has_none = [witness] {
    return witness == nullptr || (witness->lineage == nullptr && !witness->take_other());
  };
  if (elsewhere && addresses_.is_dead(elsewhere->at.pe) && has_none()) return send_lost(remote);
  answer(node, remote);
}

void SharedHeap::send_lost(const Remote& remote) {
  ++cases_.lost;
  const auto to = static_cast<int>(remote.pe);
  auto message = outbox_.open(Kind::resume, to);
  Resume{remote.key, remote.weight, remote.ticket}.write(message);
  message.put(Run{.part = Part::lost});
  message.put(std::uint32_t{1});
  counters_.add(Count::resume_sent);
  outbox_.send(to, std::move(message));
}

// The answer is that its value is lost. It is not sent away again: where the same was tried before,
// there may be parts of it that are lost as well.
void SharedHeap::on_lost(Node* node) {
  ++cases_.lost;
  const auto state = node->state();
  if (state == State::exported) {
    ++cases_.reverted;
    take_back(node);
    return recovery_.evaluate_here(node);
  }
  if (state != State::fetching) return;
  auto* witness = addresses_.witness(node);
  if (witness != nullptr) witness->giver = Witness::nobody;
  const bool can_be_made = witness != nullptr && witness->lineage != nullptr;
  if (can_be_made) return seek(node);
  if (!remake_otherwise(node)) lose(node);
}

// ---- making it again ---------------------------------------------------------------------------

bool SharedHeap::begin_to_remake(Node* node) {
  auto* witness = addresses_.witness(node);
  if (witness == nullptr || !witness->here || witness->lineage == nullptr) return false;
  node->settle(State::black_hole, State::fetching);
  ++witness->tries;
  ++cases_.by_thunk;
  return true;
}

std::optional<Route> SharedHeap::route(Node* node) {
  const auto* witness = addresses_.witness(node);
  if (witness == nullptr || witness->lineage == nullptr) return std::nullopt;
  auto route = route_to(*witness->lineage, witness->place);
  const bool by_argument = std::any_of(route.handles.begin(), route.handles.end(), [](auto handle) {
    return (handle & Lineage::in_arguments) != 0;
  });
  ++(by_argument                       ? cases_.by_argument
     : !route.handles.empty()          ? cases_.by_value
     : recipes_.of(node) == route.from ? cases_.by_recipe
                                       : cases_.by_copy);
  return route;
}

// Of a value that is here, its parts that are elsewhere.
bool SharedHeap::also_from(Node* node, Node* source) {
  if (is_being_read(node)) return false;
  collect_soon();  // what only its arguments led to is needed no more, on many PEs
  if (source == nullptr) recipes_.forget(node);
  const auto state = node->state();
  if (state == State::value) {
    const auto parts = references_of(node);
    for (std::uint32_t handle = 0; handle < parts.size(); ++handle) {
      auto* witness = addresses_.witness(parts[handle]);
      if (witness == nullptr || witness->here || witness->fetching) continue;
      if (parts[handle]->finished()) {  // it is here, and needs nothing
        addresses_.forget_origins(parts[handle]);
        continue;
      }
      witness->spare = source == nullptr;
      witness->comes_from(source == nullptr ? nullptr : by_handle({source}, handle), 1);
    }
    return true;
  }
  const bool guarded = state == State::exported && addresses_.target(node);
  if (!guarded && state != State::fetch_me && state != State::fetching) return false;
  if (guarded) {
    let_go_of_arguments(node, source);
    return true;
  }
  auto& witness = addresses_.make_witness(node);
  if (witness.fetching) return true;  // it is being made
  witness.spare = source == nullptr;
  witness.comes_from(lineage_of(source), 0);
  return true;
}

// It has gone, and is a reference now as others are.
void SharedHeap::let_go_of_arguments(Node* node, Node* source) {
  auto& witness = addresses_.make_witness(node);
  const bool asked = std::exchange(witness.fetching, false);
  node->code().drop_arguments(node);
  node->settle(State::exported, asked ? State::fetching : State::fetch_me);
  addresses_.let_hold_witness(node);
  witness.spare = source == nullptr;
  witness.comes_from(lineage_of(source), 0);
}

// What made a value may have needed what was made before, and has it, or what stands for it, from
// somebody else now: then it waits for itself. Below which values it was found since says the rest.
bool SharedHeap::remake_otherwise(Node* proxy) {
  auto* witness = addresses_.witness(proxy);
  if (witness == nullptr || !witness->take_other()) return false;
  ++cases_.otherwise;
  witness->fetching = true;
  ++witness->tries;
  recovery_.remake(proxy);
  return true;
}

void SharedHeap::remake_otherwise(bool give_up) {
  if (!addresses_.lacks_any()) return;
  for (Node* node : addresses_.being_remade())
    if (!is_being_read(node) && !remake_otherwise(node) && give_up) lose(node);
}

// A copy of the value takes the node's place, as if it had been fetched from this PE itself.
void SharedHeap::remade(Node* node, Node* as) {
  if (node->state() != State::fetching) return;  // an answer was faster
  const bool found = as != nullptr && !is_lost(as);
  const bool comes = is_being_read(node);
  if (auto* witness = addresses_.witness(node)) {
    if (witness->tries != 0) --witness->tries;
    // If what comes is lost after all, it is made anew.
    if (comes && witness->tries == 0) witness->fetching = false;
    if (comes) return;
    if (!found && (remake_otherwise(node) || witness->tries != 0)) return;
    witness->comes_from(nullptr, 0);  // it is done with
    witness->fetching = false;
  }
  if (comes) return;
  if (!found) return lose(node);
  counters_.add(Count::values_remade);
  copy_into(node, as);
}

void SharedHeap::copy_into(Node* node, Node* as) {
  auto limits = limits_;
  limits.bytes = 0;
  Writer packet;
  pack_graph(packet, as, addresses_, limits, {addresses_.self(), Arrays::copied});
  Reader reader(packet.view());
  // No message: one that is being read outside the lock has not brought this.
  const Unnoted unnoted(addresses_);
  unpack_graph(reader, addresses_.self(), addresses_, memory_, node);
  release(node);
}

}  // namespace trawl::heap
