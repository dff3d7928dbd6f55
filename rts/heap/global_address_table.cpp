#include "rts/heap/global_address_table.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace trawl::heap {
namespace {

// Where else a value begins, or a failure is.
Witness*& witness_in(Node* proxy) noexcept {
  return *reinterpret_cast<Witness**>(proxy->payload(sizeof(Node::word)));
}

}  // namespace

GlobalAddressTable::GlobalAddressTable(std::uint32_t self, std::uint32_t pes, Weight full_weight)
    : self_(self), pes_(pes), full_weight_(full_weight) {}

Node* GlobalAddressTable::own(std::uint64_t slot) const {
  const auto found = own_.find(slot);
  return found == own_.end() ? nullptr : found->second.node;
}

Reference GlobalAddressTable::lend(Node* node) {
  auto [at, fresh] = slot_of_.try_emplace(Hidden(node), next_slot_);
  if (fresh) {
    try {
      own_.emplace(next_slot_, Slot{node, 0});
    } catch (const std::bad_alloc&) {
      slot_of_.erase(at);
      throw;
    }
    ++next_slot_;
    node->mark(Node::named);
  }
  own_.at(at->second).out += full_weight_;
  return {{self_, 0, at->second}, full_weight_};
}

void GlobalAddressTable::note_dead(std::uint32_t pe) {
  if (dead_.empty()) dead_.resize(pes_);
  dead_[pe] = true;
  uncounted_ = slots() != 0;
  frees_.erase(pe);
}

void GlobalAddressTable::note_leaving(std::uint32_t pe) {
  if (leaving_.empty()) leaving_.resize(pes_);
  leaving_[pe] = true;
}

Reference GlobalAddressTable::lend_to(Node* thunk, std::uint32_t pe) {
  const auto reference = lend(thunk);
  if (recovers_ || knows_large()) {
    auto& slot = own_.at(reference.at.slot);
    slot.holder = pe;
    slot.spark = false;
  }
  return reference;
}

GlobalAddressTable::Holder GlobalAddressTable::holder(Node* thunk) const {
  const auto found = slot_of_.find(Hidden(thunk));
  if (found == slot_of_.end()) return {};
  const Slot& slot = own_.at(found->second);
  return {slot.holder, slot.spark};
}

void GlobalAddressTable::set_holder(Node* thunk, const Holder& holder) {
  const auto found = slot_of_.find(Hidden(thunk));
  if (found == slot_of_.end()) return;
  Slot& slot = own_.at(found->second);
  slot.holder = holder.pe;
  slot.spark = holder.spark;
}

void GlobalAddressTable::note_spark(Node* thunk) {
  if (const auto slot = slot_of_.find(Hidden(thunk)); slot != slot_of_.end())
    own_.at(slot->second).spark = true;
}

void GlobalAddressTable::note_with(std::uint64_t slot, std::uint64_t spark) {
  if (!recovers_) own_.at(slot).with = spark;
}

std::uint64_t GlobalAddressTable::take_with(std::uint64_t slot) {
  const auto found = own_.find(slot);
  return found == own_.end() ? 0 : std::exchange(found->second.with, 0);
}

bool GlobalAddressTable::is_spark(Node* thunk) const {
  const auto slot = slot_of_.find(Hidden(thunk));
  return slot != slot_of_.end() && own_.at(slot->second).spark;
}

// A thunk that has been acknowledged is where its proxy says, else where it was sent.
std::vector<GlobalAddressTable::Sent> GlobalAddressTable::sent_to(std::uint32_t pe) const {
  std::vector<Sent> all;
  for (const auto& [number, slot] : own_) {
    if (slot.node->state() != State::exported || slot.holder != pe) continue;
    const auto* proxy = find(slot.node);
    if (proxy != nullptr && proxy->elsewhere()) continue;
    all.push_back({slot.node, slot.spark, false});
  }
  for (const auto& [key, proxy] : proxy_of_) {
    auto* node = static_cast<Node*>(proxy->node.get());
    if (node != nullptr && node->state() == State::exported && lives_at(*proxy, pe))
      all.push_back({node, is_spark(node), true});
  }
  return all;
}

bool GlobalAddressTable::is_fetched(const Proxy& proxy) const {
  const auto* node = static_cast<Node*>(proxy.node.get());  // first: a dead one's witness is gone
  if (node == nullptr || !proxy.elsewhere()) return false;
  const auto state = node->state();
  const bool guarded = state == State::exported && proxy.witness() && proxy.witness()->fetching;
  return state == State::fetching || guarded;
}

bool GlobalAddressTable::is_fetched(Node* node) const {
  const Proxy* proxy = find(node);
  return proxy != nullptr && is_fetched(*proxy);
}

std::vector<Node*> GlobalAddressTable::fetched() const {
  std::vector<Node*> all;
  for (const auto& [key, proxy] : proxy_of_)
    if (auto* node = static_cast<Node*>(proxy->node.get()); node != nullptr && is_fetched(*proxy))
      all.push_back(node);
  return all;
}

std::vector<Node*> GlobalAddressTable::known_at(std::uint32_t pe) {
  std::vector<Node*> all;
  std::vector<Proxy*> done_with;
  for (const auto& [key, proxy] : proxy_of_) {
    auto* node = static_cast<Node*>(proxy->node.get());
    if (node == nullptr ? proxy->at.pe != pe : !lives_at(*proxy, pe)) continue;
    if (node != nullptr && !node->finished())
      all.push_back(node);
    else
      done_with.push_back(proxy.get());
  }
  for (Proxy* proxy : done_with) drop(*proxy);
  return all;
}

void GlobalAddressTable::give_up(Node* proxy) {
  Proxy& found = *find(proxy);
  send_home({found.at, std::exchange(found.weight, 0)});
}

std::vector<Node*> GlobalAddressTable::being_remade() const {
  std::vector<Node*> all;
  for (const auto& [key, proxy] : proxy_of_) {
    auto* node = static_cast<Node*>(proxy->node.get());
    if (node == nullptr || node->state() != State::fetching) continue;
    if (proxy->witness() != nullptr && proxy->witness()->tries != 0) all.push_back(node);
  }
  return all;
}

bool GlobalAddressTable::expects(std::optional<std::uint32_t> from) const {
  const bool sent = std::any_of(own_.begin(), own_.end(), [&](const auto& each) {
    const Slot& slot = each.second;
    if (slot.node->state() != State::exported || slot.holder == Witness::nobody) return false;
    const auto* proxy = find(slot.node);
    return (proxy == nullptr || !proxy->elsewhere()) && (!from || slot.holder == *from);
  });
  return sent || std::any_of(proxy_of_.begin(), proxy_of_.end(), [&](const auto& each) {
           return is_fetched(*each.second) && (!from || each.second->at.pe == *from);
         });
}

Node* GlobalAddressTable::formerly(const Address& at) const {
  if (const auto found = former_.find(at); found != former_.end())
    if (void* node = found->second->get()) return static_cast<Node*>(node);
  return imported(at);
}

// Without memory the name is forgotten: who asks for it is told that its node is lost.
void GlobalAddressTable::note_former(const Address& was, Node* node) noexcept {
  try {
    auto name = std::make_unique<Weak>(node);
    name->let_die();
    former_.insert_or_assign(was, std::move(name));
  } catch (const std::bad_alloc&) {
  }
}

Witness* GlobalAddressTable::witness(Node* node) const {
  const Proxy* proxy = find(node);
  return proxy == nullptr ? nullptr : proxy->witness();
}

Witness& GlobalAddressTable::make_witness(Node* proxy) {
  Proxy& known = *find(proxy);
  if (known.witness() == nullptr) known.kept_witness = new (allocate(sizeof(Witness))) Witness();
  return *known.witness();
}

void GlobalAddressTable::let_hold_witness(Node* proxy) noexcept {
  Proxy& known = *find(proxy);
  if (known.kept_witness == nullptr) return;
  witness_in(proxy) = known.kept_witness;
  known.held_witness = Hidden(std::exchange(known.kept_witness, nullptr));
}

void GlobalAddressTable::will_hold_other(Node* proxy) noexcept {
  Proxy* known = recovers_ && is_named(proxy) ? find(proxy) : nullptr;
  if (known == nullptr) return;
  known->kept_witness = known->witness();
  known->held_witness = Hidden(nullptr);
}

Reference GlobalAddressTable::lend_imported(Node* node, const Address& was) {
  const auto reference = lend(node);
  auto& slot = own_.at(reference.at.slot);
  if (slot.was.slot != 0) slot_of_imported_.erase(slot.was);
  slot_of_imported_.insert_or_assign(was, reference.at.slot);
  slot.was = was;
  return reference;
}

Node* GlobalAddressTable::imported(const Address& was) const {
  const auto found = slot_of_imported_.find(was);
  return found == slot_of_imported_.end() ? nullptr : own_.at(found->second).node;
}

std::optional<Address> GlobalAddressTable::came_as(Node* node) const {
  const auto found = is_named(node) ? slot_of_.find(Hidden(node)) : slot_of_.end();
  if (found == slot_of_.end()) return std::nullopt;
  const Address& was = own_.at(found->second).was;
  return was.slot != 0 ? std::optional(was) : std::nullopt;
}

void GlobalAddressTable::give_back(std::uint64_t slot, Weight weight) {
  const auto found = own_.find(slot);
  if (found == own_.end() || found->second.out < weight)
    throw BadBytes("it gives back more weight than is out");
  if ((found->second.out -= weight) != 0) return;
  ++returned_;
  Node* node = found->second.node;
  static_cast<Node* volatile&>(found->second.node) =
      nullptr;  // plainly, it would be optimised away
  if (const auto was = found->second.was; was.slot != 0) {
    if (remembers_names_of(was.pe)) note_former(was, node);
    slot_of_imported_.erase(was);
  }
  own_.erase(found);
  slot_of_.erase(Hidden(node));
  if (find(node) == nullptr) node->unmark(Node::named);
}

void GlobalAddressTable::note_copy(Node* node, std::uint32_t pe) {
  if (!is_named(node)) return;
  const auto slot = slot_of_.find(Hidden(node));
  if (slot != slot_of_.end()) own_.at(slot->second).copies |= bit_of(pe);
}

// What has come from there is there.
bool GlobalAddressTable::has_copy(Node* node, std::uint32_t pe) const {
  if (!is_named(node)) return false;
  if (const auto slot = slot_of_.find(Hidden(node)); slot != slot_of_.end())
    return (own_.at(slot->second).copies & bit_of(pe)) != 0;
  const auto* proxy = find(node);
  return proxy != nullptr && lives_at(*proxy, pe);
}

void GlobalAddressTable::drop_copy(std::uint64_t slot, std::uint32_t pe) {
  if (const auto found = own_.find(slot); found != own_.end()) found->second.copies &= ~bit_of(pe);
}

GlobalAddressTable::Proxy* GlobalAddressTable::find(Node* node) const {
  const auto found = proxy_of_.find(Hidden(node));
  return found == proxy_of_.end() || found->second->node.dead() ? nullptr : found->second.get();
}

Node* GlobalAddressTable::proxy(const Address& at) {
  const auto found = proxies_.find(at);
  Proxy* proxy = found == proxies_.end() ? nullptr : found->second;
  for (; proxy != nullptr; proxy = proxy->next)
    if (void* node = proxy->node.get()) return static_cast<Node*>(node);
  return nullptr;
}

Node* GlobalAddressTable::proxy(const Address& at, std::uint32_t ticket) {
  const auto found = proxies_.find(at);
  if (found == proxies_.end()) return nullptr;
  for (Proxy* proxy = found->second; proxy != nullptr; proxy = proxy->next)
    if (proxy->ticket == ticket)
      if (void* node = proxy->node.get()) return static_cast<Node*>(node);
  return proxy(at);
}

void GlobalAddressTable::adopt(Node* node, const Reference& reference, std::uint32_t ticket) {
  Witness* witness = nullptr;
  if (const auto known = proxy_of_.find(Hidden(node)); known != proxy_of_.end()) {
    Proxy& proxy = *known->second;
    if (!proxy.node.dead() && proxy.at == reference.at) {
      proxy.weight += reference.weight;
      return;
    }
    // A node that moved on stands for its newest home; the weight of the old one goes back.
    will_hold_other(node);
    if (!proxy.node.dead()) witness = std::exchange(proxy.kept_witness, nullptr);
    drop(proxy);
  }
  if (witness != nullptr) witness->begin_anew(false);
  young_.push_back(node);
  const auto made =
      proxy_of_.emplace(Hidden(node), std::make_unique<Proxy>(node, reference, ticket));
  Proxy* proxy = made.first->second.get();
  proxy->kept_witness = witness;
  try {
    const auto [first, fresh] = proxies_.try_emplace(reference.at, proxy);
    if (!fresh) proxy->next = std::exchange(first->second->next, proxy);
  } catch (const std::bad_alloc&) {
    proxy_of_.erase(made.first);
    throw;
  }
  node->mark(Node::named);
}

void GlobalAddressTable::has_gone(Node* thunk, const Reference& to) {
  adopt(thunk, to);
  if (auto* known = witness(thunk); known != nullptr && known->here) known->begin_anew(false);
}

bool GlobalAddressTable::sweep() {
  for (Node*& young : young_) {
    Proxy* proxy = find(young);
    if (proxy != nullptr && !proxy->node.may_die()) proxy->node.let_die();
    young = nullptr;  // the collector scans what a vector has been cleared of
  }
  young_.clear();
  if (!collected_since(collections_)) return false;
  std::vector<Proxy*> dead;
  for (const auto& [key, proxy] : proxy_of_)
    if (proxy->node.dead()) dead.push_back(proxy.get());
  for (Proxy* proxy : dead) drop(*proxy);
  boost::unordered::erase_if(former_, [](const auto& each) { return each.second->dead(); });
  return true;
}

// What it can be made again from it keeps: its evaluation may need what is lost.
void GlobalAddressTable::forget(Node* node) {
  Proxy* proxy = find(node);
  if (proxy == nullptr) return;
  if (proxy->witness() == nullptr || proxy->witness()->lineage == nullptr) return drop(*proxy);
  send_home({proxy->at, std::exchange(proxy->weight, 0)});
  proxy->witness()->begin_anew(true);
}

std::optional<GlobalAddressTable::Target> GlobalAddressTable::target(Node* node) const {
  const Proxy* proxy = find(node);
  if (proxy == nullptr || !proxy->elsewhere()) return std::nullopt;
  return Target{proxy->at, proxy->ticket, is_dead(proxy->at.pe) || proxy->weight == 0};
}

bool GlobalAddressTable::note_large(Node* node) {
  if (!large_known_) return false;
  Proxy* proxy = find(node);
  if (proxy == nullptr || !proxy->elsewhere()) return false;
  if (!std::exchange(proxy->large, true) && large_.fetch_add(1) == 0) large_known_();
  return true;
}

std::optional<std::uint32_t> GlobalAddressTable::large_at(Node* node) const {
  const auto state = node->state();
  if (state != State::fetch_me && state != State::fetching) return std::nullopt;
  const Proxy* proxy = find(node);
  if (proxy == nullptr || !proxy->large || !proxy->elsewhere()) return std::nullopt;
  return proxy->at.pe;
}

void GlobalAddressTable::note_evaluated(Node* proxy) {
  if (Proxy* found = find(proxy)) found->evaluated = true;
}

bool GlobalAddressTable::known_evaluated(Node* proxy) const {
  const Proxy* found = find(proxy);
  return found != nullptr && found->evaluated;
}

Reference GlobalAddressTable::share(Node* node) {
  if (Proxy* proxy = find(node); proxy != nullptr && proxy->weight > 1 && proxy->elsewhere() &&
                                 !remembers_names_of(proxy->at.pe)) {
    const auto half = proxy->weight / 2;
    proxy->weight -= half;
    return {proxy->at, half};
  }
  return lend(node);
}

void GlobalAddressTable::take_back(Node* node, const Reference& reference) noexcept {
  if (reference.at.pe == self_)
    give_back(reference.at.slot, reference.weight);
  else
    find(node)->weight += reference.weight;
}

std::optional<Address> GlobalAddressTable::name(Node* node) const {
  if (!is_named(node)) return std::nullopt;
  if (const auto own = slot_of_.find(Hidden(node)); own != slot_of_.end())
    return Address{self_, 0, own->second};
  const auto elsewhere = target(node);
  return elsewhere ? std::optional(elsewhere->at) : std::nullopt;
}

void GlobalAddressTable::drop(Proxy& proxy) {
  if (proxy.large) large_.fetch_sub(1, std::memory_order_relaxed);
  send_home({proxy.at, proxy.weight});
  if (!proxy.node.dead() && remembers_names_of(proxy.at.pe))
    note_former(proxy.at, static_cast<Node*>(proxy.key.reveal()));
  if (!proxy.node.dead() && !slot_of_.contains(proxy.key))
    static_cast<Node*>(proxy.key.reveal())->unmark(Node::named);
  const auto first = proxies_.find(proxy.at);
  Proxy** place = &first->second;
  while (*place != &proxy) place = &(*place)->next;
  *place = proxy.next;
  if (first->second == nullptr) proxies_.erase(first);
  // Who comes upon the dead proxy, as the collector does in erased parts of tables, finds nothing.
  if (proxy.kept_witness != nullptr) *std::exchange(proxy.kept_witness, nullptr) = {};
  proxy_of_.erase(proxy.key);
}

GlobalAddressTable::Frees GlobalAddressTable::take_frees() {
  return std::exchange(frees_, {});
}

std::map<std::uint64_t, Weight> GlobalAddressTable::weights_out() const {
  std::map<std::uint64_t, Weight> all;
  for_each_out([&](std::uint64_t slot, Weight weight) { all[slot] = weight; });
  return all;
}

std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> GlobalAddressTable::weights_held() const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> all;
  for_each_held([&](const Reference& held) { all[{held.at.pe, held.at.slot}] += held.weight; });
  return all;
}

}  // namespace trawl::heap
