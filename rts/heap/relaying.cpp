// A large value goes to each other cluster once: who has got it passes it on to those near him.
//
// Note: nobody waits for ever. Who is to pass a value on is told for which proxy of his it was sent
// to him by its home. If that is still fetching, its RESUME is under way from the home itself,
// which waits for nobody; if it has died, the FETCH goes back, and is answered there. So of two PEs
// that have lost their copies neither waits for the other. A PE of which the home has died, or who
// has left, forgets what it was to pass on: who waits for that asks again (dead, in recovery.cpp).
#include <algorithm>

#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

// Of what fills packets by itself: with all else there comes what will be asked for next, and who
// walks through it gets more each time, by who knows how he walks.
void SharedHeap::note_holder(Node* node, const Remote& remote, bool alone) {
  addresses_.note_copy(node, remote.pe);
  if (!alone) return;
  const auto cluster = outbox_.cluster_of(static_cast<int>(remote.pe));
  if (cluster != outbox_.cluster_of(static_cast<int>(addresses_.self())))
    relays_.note(remote.key.slot, cluster, {remote.pe, remote.ticket});
}

bool SharedHeap::is_relayed(Node* node, const Remote& remote) {
  if (relays_.empty() || remote.weight != 0 || remote.key.pe != addresses_.self()) return false;
  const auto& [pe, ticket, key, weight] = remote;
  const auto* holder = relays_.holder(key.slot, outbox_.cluster_of(static_cast<int>(pe)));
  if (holder == nullptr || holder->pe == pe || addresses_.is_dead(holder->pe) ||
      addresses_.leaves(holder->pe))
    return false;
  ++cases_.relayed;
  addresses_.note_copy(node, pe);
  fabric::send(outbox_, static_cast<int>(holder->pe), Relay{key, holder->ticket, pe, ticket});
  return true;
}

bool SharedHeap::comes_from_home(Node* proxy, std::uint32_t ticket) const {
  const auto target = addresses_.target(proxy);
  return proxy->state() == State::fetching && target && target->ticket == ticket;
}

void SharedHeap::on_relay(const Relay& message) {
  const auto& [key, copy, pe, ticket] = message;
  if (addresses_.is_dead(pe)) return;
  const Remote remote{pe, ticket, key, 0};
  Node* const node = addresses_.proxy(key, copy);
  if (node != nullptr && node->state() == State::value) return send_resume(node, remote);
  if (node != nullptr && comes_from_home(node, copy) && enqueue(node, nullptr, &remote)) return;
  ++cases_.not_there;
  send_fetch({key, pe, ticket, key});
}

// In dead(home): they were to be served with what was under way from there.
void SharedHeap::forget_relayed(std::uint32_t home) {
  for (auto& [node, queue] : queues_) {
    const auto target = addresses_.target(queue.node);
    if (!target || target->at.pe != home) continue;
    const auto passed_on = [&](const Remote& remote) {
      return remote.weight == 0 && remote.key == target->at;
    };
    auto& remotes = queue.remotes;
    remotes.erase(std::remove_if(remotes.begin(), remotes.end(), passed_on), remotes.end());
  }
}

}  // namespace trawl::heap
