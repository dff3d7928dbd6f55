// What a shared heap does where a PE leaves (rts/life/README.md).
#include <algorithm>
#include <utility>

#include "rts/heap/claim.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/homecoming.hpp"
#include "rts/heap/packet.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

using fabric::Kind;

// What is left here is a proxy for it, where it came from: others here may refer to it.
bool SharedHeap::hand_back(Node* thunk) {
  const auto found = queues_.find(Hidden(thunk));
  if (found == queues_.end()) return false;
  auto& remotes = found->second.remotes;
  const auto debt = std::find_if(remotes.begin(), remotes.end(), [this](const Remote& remote) {
    return remote.weight > 1 && remote.pe != addresses_.self();
  });
  if (debt == remotes.end() || !thunk->move(State::unevaluated, State::exported)) return false;
  const auto [pe, ticket, key, weight] = *debt;
  remotes.erase(debt);
  const auto to = static_cast<int>(pe);
  const Weight kept = weight / 2;
  auto message = outbox_.open(Kind::resume, to);
  Resume{key, weight - kept, ticket}.write(message);
  message.put(Run{.part = Part::handed_back});
  message.put(std::uint32_t{1});
  counters_.add(Count::resume_sent);
  thunk->code().drop_arguments(thunk);
  addresses_.has_gone(thunk, {key, kept});
  thunk->settle(State::exported, State::fetch_me);
  outbox_.send(to, std::move(message));
  if (remotes.empty() && found->second.waiters.empty())
    erase(found);
  else
    fetch(thunk);
  return true;
}

// It has come back without having been begun.
void SharedHeap::on_handed_back(Node* thunk, std::uint64_t slot, Weight weight) {
  if (thunk->state() != State::exported) return addresses_.give_back(slot, weight);
  ++cases_.handed_back;
  addresses_.forget(thunk);
  thunk->settle(State::exported, State::unevaluated);
  addresses_.give_back(slot, weight);
  if (queues_.contains(Hidden(thunk)))
    arrived(thunk);
  else
    add_spark_(thunk);
}

bool SharedHeap::expects(std::optional<std::uint32_t> from) const {
  return addresses_.expects(from);
}

// Two nodes here stand for one thunk, the first by a name that leads through a PE that leaves.
// Nobody waits for it: it is no reason to evaluate the thunk.
bool SharedHeap::become_twin(Node* node, Node* thunk) {
  if (queues_.contains(Hidden(node)) || is_being_read(node) || &node->code() != &thunk->code() ||
      thunk->code().placed)
    return false;
  const Claim claim(thunk);
  const auto state = node->state();
  if (!claim.got() || (state != State::fetching && state != State::exported)) return false;
  if (state == State::fetching) {
    addresses_.will_hold_other(node);
    copy_arguments(thunk, node);
  }
  addresses_.forget(node);
  node->settle(state, State::unevaluated);
  return true;
}

}  // namespace trawl::heap
