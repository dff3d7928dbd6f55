// Which node becomes what a packet brings: one that is known here and lacks its value, or a new
// one.
#pragma once

#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/heap/origins.hpp"
#include "rts/inline/code.hpp"

namespace trawl::heap {

inline bool lacks_value(const Node* node) noexcept {
  const auto state = node->state();
  return state == State::fetch_me || state == State::fetching || state == State::exported;
}

/// For one packet.
class Choice {
 public:
  explicit Choice(GlobalAddressTable& addresses) : addresses_(addresses) {}

  /// What is known by that name, or nullptr. Throws BadBytes if it is of another type.
  Node* known(const Address& at, const Code& code) {
    Node* node = at.pe == addresses_.self() ? addresses_.own(at.slot) : addresses_.proxy(at);
    if (node != nullptr && node->code().id != code.id)
      throw BadBytes("it names a node that is of another type here");
    return node;
  }
  /// ... if it is a proxy.
  Node* known_proxy(const Address& at, const Code& code) {
    Node* node = known(at, code);
    return node != nullptr && addresses_.target(node) ? node : nullptr;
  }
  /// What had that name before it came here: the sender has not been told yet. Else there would be
  /// a second node for it, and a FETCH for that to the sender and back.
  Node* imported(const Address& at, const Code& code) const {
    Node* node = addresses_.is_dead(at.pe) ? addresses_.formerly(at) : addresses_.imported(at);
    return node != nullptr && node->code().id == code.id ? node : nullptr;
  }

  /// The node that `found` becomes: `known_node` if it lacks its value, else a new one.
  void choose(Found& found, const Code& code, Node* known_node) {
    found.node = known_node;
    if (known_node != nullptr) {
      const auto state = known_node->state();
      if (state == State::value) return;
      // Two nodes of the sender may both be copies of this one.
      found.filled = lacks_value(known_node) && first_time(known_node);
      if (found.filled && state == State::exported) take_arguments(found);
      if (found.filled) return addresses_.will_hold_other(known_node);
    }
    found.node = fresh(code);
    found.filled = true;
  }
  /// Of a known node that gets its value.
  bool first_time(Node* node) {
    if (first_ == nullptr) first_ = node;
    return node == first_ ? !std::exchange(first_again_, true) : others_.insert(node).second;
  }
  /// Nobody can reach it until the packet's nodes are revealed.
  static Node* fresh(const Code& code) {
    auto* node = static_cast<Node*>(allocate(code.bytes));
    node->init(code, State::black_hole);
    return node;
  }

 private:
  // Until the value is whole, and (where they guard it) as long as there are parts of it elsewhere,
  // it can be made again.
  void take_arguments(Found& found) {
    const Code& code = found.node->code();
    if (!addresses_.recovers()) return code.drop_arguments(found.node);
    found.guard = static_cast<Node*>(allocate(code.bytes));
    found.guard->init(code, State::unevaluated);
    code.move_arguments(found.node, found.guard);
  }

  GlobalAddressTable& addresses_;
  Node* first_ = nullptr;  // known nodes that get their value: in most packets there is no other
  bool first_again_ = false;
  boost::unordered_flat_set<Node*> others_;
};

}  // namespace trawl::heap
