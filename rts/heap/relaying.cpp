// A large value goes to each other cluster once: who has got it passes it on to those near him. The
// first there may get it from a third cluster, where the link from here is a bad one.
//
// Note: nobody waits for ever. Who is to pass a value on is told for which proxy of his it was sent
// to him, or is to be passed on to him, by its home. If that is still fetching, its RESUME is under
// way from the home itself, which waits for nobody, or from one who was told so before him. If it
// has died, the FETCH goes back, and so it does from who never had it; and where a PE has died, all
// that are fetching ask again. These FETCHes are answered by the home itself, never passed on
// (direct): so everybody waits for who was told earlier, and of two PEs that have lost their copies
// neither waits for the other. A PE of which the home has died, or who has left, forgets what it
// was to pass on: who waits for that asks again (dead, in recovery.cpp).
#include <algorithm>

#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

// Of what fills packets by itself, or takes its link longer than to ask for it: with all else there
// comes what will be asked for next, and who walks through it gets more each time, by who knows how
// he walks.
void SharedHeap::note_holder(Node* node, const Remote& remote, std::size_t bytes, bool fills) {
  addresses_.note_copy(node, remote.pe);
  const auto self = static_cast<int>(addresses_.self());
  const auto pe = static_cast<int>(remote.pe);
  const auto cluster = outbox_.cluster_of(pe);
  if (cluster == outbox_.cluster_of(self)) return;
  const auto takes = outbox_.carrying(self, pe, bytes);
  if (fills || takes > outbox_.round_trip(pe))
    relays_.note(remote.key.slot, cluster,
                 {remote.pe, remote.ticket, bytes, outbox_.now() + takes});
}

bool SharedHeap::can_pass_on(const Holder& holder, std::uint32_t pe) const {
  return holder.pe != pe && !addresses_.is_dead(holder.pe) && !addresses_.leaves(holder.pe);
}

// With what is left of the time until he has got it himself; `never`: that is not known.
Nanos SharedHeap::passing_on(const Holder& holder, std::uint32_t pe) const {
  const auto to = static_cast<int>(pe);
  const auto takes = outbox_.carrying(static_cast<int>(holder.pe), to, holder.bytes);
  if (takes == 0 || !can_pass_on(holder, pe)) return never;
  return std::max<Nanos>(0, holder.due - outbox_.now()) + takes;
}

// One of the asker's cluster; else one from whom it is there much sooner.
const Holder* SharedHeap::who_passes_on(const Remote& remote) const {
  constexpr Nanos much = 4;
  const auto slot = remote.key.slot;
  const auto pe = static_cast<int>(remote.pe);
  if (const auto* near = relays_.holder(slot, outbox_.cluster_of(pe)); near != nullptr)
    return can_pass_on(*near, remote.pe) ? near : nullptr;
  const auto* far =
      relays_.cheapest(slot, [&](const Holder& each) { return passing_on(each, remote.pe); });
  if (far == nullptr || passing_on(*far, remote.pe) == never) return nullptr;
  const auto from_here = outbox_.carrying(static_cast<int>(addresses_.self()), pe, far->bytes);
  return from_here / much > passing_on(*far, remote.pe) + outbox_.round_trip(pe) ? far : nullptr;
}

bool SharedHeap::is_relayed(Node* node, const Remote& remote) {
  if (relays_.empty() || remote.weight != 0 || remote.key.pe != addresses_.self()) return false;
  const auto* known = who_passes_on(remote);
  if (known == nullptr) return false;
  const auto holder = *known;
  const auto& [pe, ticket, key, weight] = remote;
  ++cases_.relayed;
  addresses_.note_copy(node, pe);
  fabric::send(outbox_, static_cast<int>(holder.pe), Relay{key, holder.ticket, pe, ticket});
  const auto cluster = outbox_.cluster_of(static_cast<int>(pe));
  if (cluster != outbox_.cluster_of(static_cast<int>(holder.pe)))
    relays_.note(key.slot, cluster,
                 {pe, ticket, holder.bytes, outbox_.now() + passing_on(holder, pe)});
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
  send_fetch({key, pe, ticket, key, true});
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
