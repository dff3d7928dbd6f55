// A FETCH: sent, answered by a value or a thunk, or sent on.
#include <algorithm>

#include "rts/heap/along.hpp"
#include "rts/heap/baggage.hpp"
#include "rts/heap/claim.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/inline/code.hpp"

namespace trawl::heap {

using fabric::Kind;

void SharedHeap::fetch(Node* proxy) {
  const auto [at, ticket, gone] = addresses_.target(proxy).value();
  const int pe = static_cast<int>(at.pe);
  // What is being fetched nobody asks for again: so what may fail is done before.
  auto* const witness =
      proxy->state() == State::exported ? &addresses_.make_witness(proxy) : nullptr;
  Writer message;
  if (!gone) message = fabric::written(outbox_, pe, Fetch{at, addresses_.self(), ticket, at});
  if (witness != nullptr)
    witness->fetching = true;
  else
    proxy->settle(State::fetch_me, State::fetching);
  if (gone) return seek(proxy);
  outbox_.send(pe, std::move(message));
}

// For a proxy that is still to be made.
std::uint32_t SharedHeap::fetch_ahead(const Address& at) {
  const auto ticket = addresses_.new_ticket();
  send_fetch({at, addresses_.self(), ticket, at});
  return ticket;
}

void SharedHeap::send_fetch(const Fetch& message) {
  fabric::send(outbox_, static_cast<int>(message.target.pe), message);
}

void SharedHeap::on_fetch(const Fetch& message, int from) {
  counters_.add(Count::fetch_received);
  const auto& [target, pe, ticket, key, direct] = message;
  // Who was to pass it on has it no more: it is answered from here.
  if (static_cast<std::uint32_t>(from) != pe && key == target && key.pe == addresses_.self())
    relays_.forget(key.slot, static_cast<std::uint32_t>(from));
  if (addresses_.is_dead(pe)) return;
  if (target.pe != addresses_.self()) return on_fetch_of_dead(message);
  if (Node* node = addresses_.own(target.slot)) {
    const Remote remote{pe, ticket, key, 0};
    if (direct && node->state() == State::value) return send_resume(node, remote);
    return answer(node, remote);
  }
  // A FETCH that was sent on has been overtaken by the thunk it was after: it starts again where it
  // was sent first. If that slot is gone too, whoever asked has got the node by another way; or he
  // has asked who gave it to him, as its home is dead.
  if (addresses_.is_dead(key.pe)) return send_lost({pe, ticket, key, 0});
  if (key != target) send_fetch({key, pe, ticket, key});
}

void SharedHeap::answer(Node* node, const Remote& remote) {
  const auto state = node->state();
  if (state == State::value) return send_value(node, remote);
  if (state == State::exception) return send_resume(node, remote);
  if (is_being_read(node) && enqueue(node, nullptr, &remote)) return;
  const auto is_elsewhere =
      state == State::fetch_me ||
      (state == State::exported && addresses_.recovers() && addresses_.target(node));
  if (is_elsewhere && addresses_.target(node).value().gone) {
    if (!can_be_sought(node)) return send_lost(remote);
    enqueue(node, nullptr, &remote);
    return fetch(node);
  }
  if (is_elsewhere) {
    ++cases_.forwarded;
    return send_fetch({addresses_.target(node).value().at, remote.pe, remote.ticket, remote.key});
  }
  if (needs_nothing(remote, node)) return;
  // What comes from who leaves comes as it is: nobody may need it.
  const bool leaves = addresses_.leaves(addresses_.self()) || addresses_.leaves(remote.key.pe);
  bool stays = false;
  if (state == State::unevaluated &&
      (remote.pe == addresses_.self() || (node->code().placed && !leaves))) {
    stays = true;  // or our own FETCH has come round to a thunk that meanwhile moved here
  } else if (Claim claim(node); claim.got()) {
    if (leaves || !has_baggage(node, addresses_, remote.pe)) {
      // The thunk moves to where it is needed; has_moved sees to who waits for it here.
      send_thunk(node, remote);
      return claim.keep();
    }
    stays = true;
  }
  if (stays) {
    counters_.add(Count::sparks_created);
    add_spark_(node);
  }
  if (!enqueue(node, nullptr, &remote)) send_resume(node, remote);
}

// Our own FETCH, sent on and on, was overtaken by what it asked for, or has found what we have.
bool SharedHeap::needs_nothing(const Remote& remote, Node* node) {
  if (remote.pe != addresses_.self()) return false;
  Node* const own = addresses_.proxy(remote.key, remote.ticket);
  return own == nullptr || !addresses_.target(own) ||
         (addresses_.leaves(remote.key.pe) && become_twin(own, node));
}

// Who asks for one after the other gets what follows along with it.
void SharedHeap::send_value(Node* node, const Remote& remote) {
  const auto& key = remote.key;
  if (key.pe != addresses_.self()) return send_resume(node, remote);
  if (is_relayed(node, remote)) return;
  Along along(*askers_, addresses_, remote.pe, key.slot);
  const bool alone = node->code().plain_result != 0 && !along.any();
  send_resume(node, remote, alone ? nullptr : &along);
}

void SharedHeap::send_thunk(Node* node, const Remote& remote) {
  const auto& key = remote.key;
  if (key.pe != addresses_.self()) return send_resume(node, remote);
  const Along::Moving moving{outbox_.now(), outbox_.round_trip(static_cast<int>(remote.pe))};
  Along along(*askers_, addresses_, remote.pe, key.slot, moving);
  send_resume(node, remote, &along);
}

void SharedHeap::send_resume(Node* node, const Remote& remote, Along* along) {
  const auto to = static_cast<int>(remote.pe);
  auto message = outbox_.open(Kind::resume, to);
  Resume{remote.key, remote.weight, remote.ticket}.write(message);
  const auto before = message.size();
  const auto limits = along != nullptr ? along->limits(limits_) : limits_;
  const auto moved = pack_graph(message, node, addresses_, limits, receiver(remote.pe), along);
  if (along != nullptr) along->sent(moved);
  const bool by_our_name = remote.weight == 0 && remote.key.pe == addresses_.self();
  if (by_our_name && node->state() == State::value)
    note_holder(node, remote, message.size() - before,
                message.size() - before > limits.bytes + limits.bytes / 4);
  counters_.add(Count::resume_sent);
  counters_.add(Count::packets_sent);
  counters_.add(Count::packet_bytes, message.size() - before);
  outbox_.send(to, std::move(message));
}

// Who waits for it elsewhere is sent on: where nobody evaluates it, it would for ever come back for
// two who have asked each other. Who waits here gets it from there, as does who is owed its value.
void SharedHeap::has_moved(Node* thunk) {
  const auto found = queues_.find(Hidden(thunk));
  if (found == queues_.end()) return;
  const auto at = addresses_.target(thunk).value().at;
  auto& remotes = found->second.remotes;
  const auto end = std::remove_if(remotes.begin(), remotes.end(), [&](const Remote& remote) {
    if (remote.weight != 0) return false;
    ++cases_.forwarded;
    send_fetch({at, remote.pe, remote.ticket, remote.key});
    return true;
  });
  remotes.erase(end, remotes.end());
  if (remotes.empty() && found->second.waiters.empty()) return erase(found);
  fetch(thunk);
}

}  // namespace trawl::heap
