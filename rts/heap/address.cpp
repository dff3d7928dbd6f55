#include "rts/heap/address.hpp"

#include <new>
#include <utility>

namespace trawl::heap {

AddressBook::AddressBook(std::uint32_t self, std::uint32_t pes, Weight full_weight)
    : self_(self), pes_(pes), full_weight_(full_weight) {}

AddressBook::~AddressBook() {
  for (auto& [node, proxy] : proxy_of_) {
    proxy->book = nullptr;
    if (proxy->mortal) on_death(node.reveal(), nullptr, nullptr);
  }
}

Node* AddressBook::own(std::uint64_t slot) const {
  const auto found = own_.find(slot);
  return found == own_.end() ? nullptr : found->second.node;
}

Reference AddressBook::lend(Node* node) {
  auto [at, fresh] = slot_of_.try_emplace(Hidden(node), next_slot_);
  if (fresh) {
    own_.emplace(next_slot_++, Slot{node, 0});
    node->mark(Node::named);
  }
  own_.at(at->second).out += full_weight_;
  return {{self_, 0, at->second}, full_weight_};
}

void AddressBook::give_back(std::uint64_t slot, Weight weight) {
  const auto found = own_.find(slot);
  if (found == own_.end() || found->second.out < weight)
    throw BadBytes("it gives back more weight than is out");
  if ((found->second.out -= weight) != 0) return;
  Node* node = found->second.node;
  static_cast<Node* volatile&>(found->second.node) =
      nullptr;  // plainly, it would be optimised away
  own_.erase(found);
  slot_of_.erase(Hidden(node));
  if (!proxy_of_.contains(Hidden(node))) node->unmark(Node::named);
}

Node* AddressBook::touch(Proxy& proxy) {
  proxy.touched = true;
  return static_cast<Node*>(proxy.node.reveal());
}

Node* AddressBook::proxy(const Address& at) {
  const auto found = proxies_.find(at);
  return found == proxies_.end() ? nullptr : touch(*found->second);
}

Node* AddressBook::proxy(const Address& at, std::uint32_t ticket) {
  const auto found = proxies_.find(at);
  if (found == proxies_.end()) return nullptr;
  Proxy* proxy = found->second;
  while (proxy != nullptr && proxy->ticket != ticket) proxy = proxy->next;
  return touch(proxy != nullptr ? *proxy : *found->second);
}

void AddressBook::adopt(Node* node, const Reference& reference, std::uint32_t ticket) {
  if (const auto known = proxy_of_.find(Hidden(node)); known != proxy_of_.end()) {
    if (known->second->at == reference.at) {
      known->second->weight += reference.weight;
      return;
    }
    // A node that moved on stands for its newest home; the weight of the old one goes back.
    drop(*known->second);
  }
  auto* proxy = new (allocate(sizeof(Proxy)))
      Proxy{this, Hidden(node), reference.at, reference.weight, ticket};
  const auto [first, fresh] = proxies_.try_emplace(reference.at, proxy);
  if (!fresh) proxy->next = std::exchange(first->second->next, proxy);
  proxy_of_.emplace(Hidden(node), proxy);
  node->mark(Node::named);
  young_.push_back(node);
}

void AddressBook::let_proxies_die() {
  for (Node*& node : young_) {
    const auto found = proxy_of_.find(Hidden(node));
    if (found != proxy_of_.end() && !std::exchange(found->second->mortal, true))
      on_death(node, &AddressBook::proxy_died, found->second);
    node = nullptr;  // the collector scans what a vector has been cleared of
  }
  young_.clear();
}

void AddressBook::forget(Node* node) {
  const auto found = proxy_of_.find(Hidden(node));
  if (found != proxy_of_.end()) drop(*found->second);
}

std::optional<AddressBook::Target> AddressBook::target(Node* proxy) const {
  const auto found = proxy_of_.find(Hidden(proxy));
  if (found == proxy_of_.end()) return std::nullopt;
  return Target{found->second->at, found->second->ticket};
}

Reference AddressBook::share(Node* node) {
  if (const auto found = proxy_of_.find(Hidden(node)); found != proxy_of_.end()) {
    Proxy& proxy = *found->second;
    if (proxy.weight > 1) {
      const auto half = proxy.weight / 2;
      proxy.weight -= half;
      return {proxy.at, half};
    }
  }
  return lend(node);
}

std::optional<Address> AddressBook::name(Node* node) const {
  if ((node->word.load(std::memory_order_relaxed) & Node::named) == 0) return std::nullopt;
  if (const auto own = slot_of_.find(Hidden(node)); own != slot_of_.end())
    return Address{self_, 0, own->second};
  const auto elsewhere = target(node);
  return elsewhere ? std::optional(elsewhere->at) : std::nullopt;
}

// A lookup may have brought the proxy back to life after the collector found it dead: then it gets
// another life. Or it was dropped meanwhile, or its whole book.
void AddressBook::proxy_died(void* node, void* client) {
  auto& proxy = *static_cast<Proxy*>(client);
  if (proxy.book == nullptr) return;
  if (std::exchange(proxy.touched, false))
    on_death(node, &AddressBook::proxy_died, client);
  else
    proxy.book->drop(proxy);
}

void AddressBook::drop(Proxy& proxy) {
  send_home({proxy.at, proxy.weight});
  auto* node = static_cast<Node*>(proxy.node.reveal());
  if (proxy.mortal) on_death(node, nullptr, nullptr);
  if (!slot_of_.contains(proxy.node)) node->unmark(Node::named);
  const auto first = proxies_.find(proxy.at);
  Proxy** place = &first->second;
  while (*place != &proxy) place = &(*place)->next;
  *place = proxy.next;
  if (first->second == nullptr) proxies_.erase(first);
  proxy_of_.erase(proxy.node);
  proxy.book = nullptr;
}

AddressBook::Frees AddressBook::take_frees() {
  return std::exchange(frees_, {});
}

std::map<std::uint64_t, Weight> AddressBook::weights_out() const {
  std::map<std::uint64_t, Weight> all;
  for (const auto& [slot, entry] : own_) all[slot] = entry.out;
  return all;
}

std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> AddressBook::weights_held() const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> all;
  for (const auto& [node, proxy] : proxy_of_) all[{proxy->at.pe, proxy->at.slot}] += proxy->weight;
  for (const auto& [pe, list] : frees_)
    for (const auto& [slot, weight] : list) all[{pe, slot}] += weight;
  return all;
}

}  // namespace trawl::heap
