#include "rts/heap/shared_heap.hpp"

#include <algorithm>

#include "rts/heap/along.hpp"
#include "rts/heap/claim.hpp"
#include "rts/inline/code.hpp"

namespace trawl::heap {

using fabric::Kind;

SharedHeap::SharedHeap(std::uint32_t self, std::uint32_t pes, Weight full_weight,
                       const PackLimits& limits, const fabric::Memory& memory,
                       fabric::Outbox& outbox, Counters& counters,
                       std::function<void(Node*)> add_spark, bool recovers)
    : addresses_(self, pes, full_weight),
      limits_(limits),
      memory_(memory),
      outbox_(outbox),
      counters_(counters),
      add_spark_(std::move(add_spark)),
      fetch_ahead_([this](const Address& at) { return fetch_ahead(at); }),
      askers_(std::make_unique<Askers>()) {
  if (recovers) addresses_.expect_deaths();
}

SharedHeap::~SharedHeap() = default;

bool SharedHeap::wait(std::span<Node* const> nodes, Waiter& waiter) {
  std::size_t waits = 0;
  try {
    while (waits < nodes.size() && wait(nodes[waits], waiter)) ++waits;
  } catch (...) {
    leave(nodes.first(waits + 1), waiter);
    throw;
  }
  if (waits == nodes.size()) return true;
  leave(nodes.first(waits), waiter);
  return false;
}

bool SharedHeap::wait(Node* node, Waiter& waiter) {
  if (node->state() == State::fetch_me && !can_be_sought(node) && !is_being_read(node)) lose(node);
  if (node->state() == State::unevaluated || !enqueue(node, &waiter, nullptr)) return false;
  fetch_early(node);
  return true;
}

void SharedHeap::leave(std::span<Node* const> nodes, const Waiter& waiter) {
  for (Node* node : nodes) {
    const auto found = queues_.find(Hidden(node));
    if (found == queues_.end()) continue;
    auto& waiters = found->second.waiters;
    waiters.erase(std::remove(waiters.begin(), waiters.end(), &waiter), waiters.end());
    erase_if_empty(found);
    // Of simulated workers it was marked already, see notify_waiters; otherwise it does no harm.
    if (node->state() == State::black_hole) node->mark(Node::waited);
  }
}

void SharedHeap::erase_if_empty(Queues::iterator queue) {
  if (queue->second.waiters.empty() && queue->second.remotes.empty()) erase(queue);
}

void SharedHeap::fetch_early(Node* node) {
  if (is_being_read(node)) return;
  const auto state = node->state();
  if (state == State::fetch_me && !can_be_sought(node)) return;
  if (state == State::fetch_me || (state == State::exported && is_guarded(node))) fetch(node);
}

// It has moved, and was acknowledged, but its arguments are kept: so it is as one that was fetched.
bool SharedHeap::is_guarded(Node* node) const {
  if (!addresses_.recovers() || !addresses_.target(node)) return false;
  const auto* witness = addresses_.witness(node);
  return witness == nullptr || !witness->fetching;
}

// The mark and the state are in one word: either whoever finishes the node sees the mark, or we see
// that it has finished.
bool SharedHeap::enqueue(Node* node, Waiter* waiter, const Remote* remote) {
  const auto seen = node->word.fetch_or(Node::waited, std::memory_order_acq_rel);
  const auto state = Node::state_in(seen);
  if (state == State::value || state == State::exception) {
    node->unmark(Node::waited);
    return false;
  }
  auto& queue = queues_[Hidden(node)];
  queue.node = node;
  if (waiter != nullptr) queue.waiters.push_back(waiter);
  if (remote != nullptr) queue.remotes.push_back(*remote);
  return true;
}

void SharedHeap::release(Node* node) {
  const auto found = queues_.find(Hidden(node));
  if (found == queues_.end()) return;
  auto& queue = found->second;
  for (Waiter* waiter : queue.waiters) waiter->wake(node, false);
  for (const Remote& remote : queue.remotes)
    if (!is_relayed(node, remote)) send_resume(node, remote);
  erase(found);
}

void SharedHeap::erase(Queues::iterator queue) {
  queue->second.node->unmark(Node::waited);
  static_cast<Node* volatile&>(queue->second.node) =
      nullptr;  // plainly, it would be optimised away
  queues_.erase(queue);
}

Receiver SharedHeap::receiver(std::uint32_t pe) const noexcept {
  const bool readable = pe != addresses_.self() && memory_.shared_with(static_cast<int>(pe));
  return {pe, readable ? Arrays::lent : Arrays::laid};
}

bool SharedHeap::export_spark(Node* thunk, int to, const Schedule& schedule) {
  Claim claim(thunk);
  if (!claim.got()) return false;
  send_spark(thunk, to, schedule);
  claim.keep();
  return true;
}

void SharedHeap::send_spark(Node* thunk, int to, const Schedule& schedule) {
  auto message = outbox_.open(Kind::schedule, to);
  schedule.write(message);
  const auto before = message.size();
  Along along(*askers_, addresses_, static_cast<std::uint32_t>(to), outbox_.now());
  along.sent(pack_graph(message, thunk, addresses_, limits_,
                        receiver(static_cast<std::uint32_t>(to)), &along));
  if (addresses_.recovers()) addresses_.note_spark(thunk);
  counters_.add(Count::sparks_exported);
  counters_.add(Count::packets_sent);
  counters_.add(Count::packet_bytes, message.size() - before);
  outbox_.send(to, std::move(message));
}

Unpacked SharedHeap::read(Reader& packet, int from, Node* into, const Ahead* ahead) {
  try {
    auto unpacked = unpack_graph(packet, static_cast<std::uint32_t>(from), addresses_, memory_,
                                 into, ahead, &outbox_, &being_read_);
    being_read_.clear();
    return unpacked;
  } catch (...) {
    has_not_come(std::exchange(being_read_, {}));
    throw;
  }
}

// Who has begun to wait meanwhile has relied on it.
void SharedHeap::has_not_come(const BeingRead& nodes) {
  for (Node* node : nodes) {
    if (!queues_.contains(Hidden(node))) continue;
    if (node->state() == State::fetch_me && !can_be_sought(node))
      lose(node);
    else
      fetch_early(node);
  }
}

// The spark's result goes home unasked: a debt, kept like a FETCH that waits. It also serves as the
// root's acknowledgement.
void SharedHeap::on_schedule(const Schedule& message, Reader& packet, int from) {
  const auto unpacked = read(packet, from, nullptr, nullptr);
  const std::span thunks(unpacked.thunks.data(), unpacked.thunks.size());
  if (!unpacked.moved()) throw BadBytes("it schedules something that is no thunk");
  if (message.again && unpacked.root->code().placed)
    throw BadBytes("it schedules again what is placed, and is done once");
  const Reference home = thunks.front().was;
  const Remote debt{home.at.pe, 0, home.at, home.weight};
  // Another worker may have come upon it already, through a node that the packet has filled.
  if (!enqueue(unpacked.root, nullptr, &debt)) send_resume(unpacked.root, debt);
  acknowledge(thunks.subspan(1));
  resume_waiters(unpacked);
  fetch_deep(unpacked);
  counters_.add(Count::sparks_imported);
  return message.again ? recovery_.add_backup(unpacked.root) : add_spark_(unpacked.root);
}

std::optional<Address> SharedHeap::owed_to(Node* thunk) const {
  const auto found = queues_.find(Hidden(thunk));
  if (found == queues_.end()) return std::nullopt;
  const auto& remotes = found->second.remotes;
  const auto debt = std::find_if(remotes.begin(), remotes.end(),
                                 [](const Remote& remote) { return remote.weight != 0; });
  return debt == remotes.end() ? std::nullopt : std::optional(debt->key);
}

Node* SharedHeap::answered(const Resume& message) {
  if (message.key.pe == addresses_.self()) return addresses_.own(message.key.slot);
  Node* node = addresses_.proxy(message.key, message.ticket);
  // It has come before, and has been sent away since.
  const bool again =
      node != nullptr && node->state() == State::exported && !addresses_.target(node);
  return again ? nullptr : node;
}

const Code* SharedHeap::asked_for(const Resume& message) {
  const Node* const node = answered(message);
  return node != nullptr ? &node->code() : nullptr;
}

bool SharedHeap::is_with_other_than(Node* spark, int pe) const {
  const auto holder = addresses_.holder(spark).pe;
  return spark->state() == State::exported && holder != Witness::nobody &&
         holder != static_cast<std::uint32_t>(pe);
}

void SharedHeap::on_resume(const Resume& message, Reader& packet, int from) {
  const auto& [key, weight, ticket] = message;
  const bool own = key.pe == addresses_.self();
  Node* node = answered(message);
  if (own && node == nullptr) throw BadBytes("it resumes a node that is gone");
  addresses_.note_arrival({key, weight});
  counters_.add(Count::resume_received);
  if (node != nullptr && node->finished()) ++cases_.duplicate;
  // Somebody waits for it, and is likely to need what comes after it.
  const bool ahead =
      !own && node != nullptr && (node->word.load(std::memory_order_relaxed) & Node::waited) != 0;
  const auto unpacked = read(packet, from, node, ahead ? &fetch_ahead_ : nullptr);
  if (unpacked.handed_back && !own) throw BadBytes("it hands back what is not of this PE");
  // Of a spark, who had it before its present holder (a straggler, say) has no say in it.
  if ((unpacked.lost || unpacked.handed_back) && own && is_with_other_than(node, from))
    return addresses_.give_back(key.slot, weight);
  if (unpacked.lost) {
    if (own) addresses_.give_back(key.slot, weight);
    if (node != nullptr) on_lost(node);
    return;
  }
  if (unpacked.handed_back) return on_handed_back(node, key.slot, weight);
  for (Node* next : unpacked.ahead) next->settle(State::fetch_me, State::fetching);
  if (own && unpacked.moved()) throw BadBytes("it brings a result that is not evaluated");
  if (own) note_result(node, unpacked.leaves_data);
  acknowledge({unpacked.thunks.data(), unpacked.thunks.size()});
  resume_waiters(unpacked);
  fetch_deep(unpacked);
  if (own) addresses_.give_back(key.slot, weight);
}

void SharedHeap::resume_waiters(const Unpacked& unpacked) {
  // Not by whether it is unevaluated: another worker may already be at it.
  for (Node* node : unpacked.resolved) {
    if (node->finished())
      release(node);
    else
      arrived(node);
  }
}

// A thunk has come because somebody needs it. It is granted to a waiter at once, so that no FETCH
// can carry it off before; if only other PEs wait, it goes on to the first of them, or, if its
// result is a debt, it is evaluated here.
void SharedHeap::arrived(Node* thunk) {
  const auto found = queues_.find(Hidden(thunk));
  if (found == queues_.end()) return;
  auto& waiters = found->second.waiters;
  auto& remotes = found->second.remotes;
  const auto end = std::remove_if(remotes.begin(), remotes.end(), [&](const Remote& remote) {
    return remote.weight == 0 && needs_nothing(remote, thunk);
  });
  remotes.erase(end, remotes.end());
  if (waiters.empty() && remotes.empty()) return erase(found);
  if (!waiters.empty()) {
    if (!thunk->move(State::unevaluated, State::black_hole)) return;
    Waiter* waiter = waiters.front();
    waiters.erase(waiters.begin());
    erase_if_empty(found);
    return waiter->wake(thunk, true);
  }
  const auto next = std::find_if(remotes.begin(), remotes.end(),
                                 [](const Remote& remote) { return remote.weight == 0; });
  if (next == remotes.end()) {
    counters_.add(Count::sparks_created);
    return add_spark_(thunk);
  }
  const Remote remote = *next;
  remotes.erase(next);
  erase_if_empty(found);
  answer(thunk, remote);
}

void SharedHeap::acknowledge(std::span<const Arrived> thunks) {
  if (thunks.empty()) return;
  Ack message;
  for (const auto& arrived : thunks)
    message.thunks.push_back(
        {arrived.was, addresses_.lend_imported(arrived.thunk, arrived.was.at)});
  counters_.add(Count::ack_sent);
  fabric::send(outbox_, static_cast<int>(thunks.front().was.at.pe), message);
}

void SharedHeap::on_ack(const Ack& message) {
  for (const auto& [was, is] : message.thunks) {
    addresses_.note_arrival(was);
    addresses_.note_arrival(is);
    Node* node = addresses_.own(was.at.slot);
    if (node != nullptr && addresses_.guards(node->code()) && node->state() == State::exported) {
      const bool spark = addresses_.is_spark(node);
      addresses_.has_gone(node, is);
      addresses_.give_back(was.at.slot, was.weight);
      if (Node* const recipe = spark ? nullptr : recipes_.of(node))
        let_go_of_arguments(node, recipe);
      has_moved(node);
      continue;
    }
    if (node == nullptr || (node->state() != State::exported && !node->finished()))
      throw BadBytes("it acknowledges a thunk that was not sent");
    if (node->state() == State::exported) {
      node->code().drop_arguments(node);
      addresses_.has_gone(node, is);
      node->settle(State::exported, State::fetch_me);
      has_moved(node);
    } else {
      // Its value was faster than the acknowledgement.
      addresses_.has_gone(node, is);
    }
    if (const auto spark = addresses_.take_with(was.at.slot); spark != 0) note_with(spark);
    addresses_.give_back(was.at.slot, was.weight);
  }
}

void SharedHeap::note_with(std::uint64_t spark) {
  if (sent_with_others_.size() == sent_with_others_.capacity())
    std::erase_if(sent_with_others_, [this](std::uint64_t slot) {
      const Node* const node = addresses_.own(slot);
      return node == nullptr || node->state() != State::exported;
    });
  sent_with_others_.push_back(spark);
}

// Not before: until then a spark that is late can be begun a second time.
void SharedHeap::drop_arguments_of_sent_sparks() {
  for (const auto slot : std::exchange(sent_with_others_, {})) {
    Node* const spark = addresses_.own(slot);
    if (spark == nullptr || spark->state() != State::exported) continue;
    spark->code().drop_arguments(spark);
    spark->settle(State::exported, State::fetching);
  }
}

void SharedHeap::on_free(const Free& message, int from) {
  for (const auto& [slot, weight] : message.weights) {
    addresses_.note_arrival({{addresses_.self(), 0, slot}, weight});
    addresses_.drop_copy(slot, static_cast<std::uint32_t>(from));
    relays_.forget(slot, static_cast<std::uint32_t>(from));
    addresses_.give_back(slot, weight);
  }
}

void SharedHeap::send_frees() {
  if (!addresses_.has_frees()) return;
  for (auto& [pe, weights] : addresses_.take_frees()) {
    counters_.add(Count::free_sent);
    fabric::send(outbox_, static_cast<int>(pe), Free{std::move(weights)});
  }
}

std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> SharedHeap::weights_held() const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> all;
  for_each_held([&](const Reference& held) { all[{held.at.pe, held.at.slot}] += held.weight; });
  return all;
}

void SharedHeap::for_each_queue(
    const std::function<void(Node*, std::size_t, const std::vector<std::uint32_t>&)>& each) const {
  for (const auto& [key, queue] : queues_) {
    std::vector<std::uint32_t> pes;
    for (const auto& remote : queue.remotes) pes.push_back(remote.pe);
    each(queue.node, queue.waiters.size(), pes);
  }
}

}  // namespace trawl::heap
