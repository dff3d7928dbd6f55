// Where values come from: how what was lost with a PE is made again (rts/recover/README.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/inline/node.hpp"

namespace trawl::heap {

/// Of the nodes of a packet that were below one of its values: from what that can be made again,
/// and the way from there to each of them. In memory of the collector's.
struct Lineage {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  Node* guard = nullptr;        ///< a thunk that makes the value again; else
  Lineage* before = nullptr;    ///< the value was itself below another one,
  std::uint32_t at_before = 0;  ///< at this place of its packet
  std::uint32_t top = 0;        ///< the value's place in its own
  /// How many evaluations, each of what the one before gave, it takes if no part of them is left.
  std::uint32_t depth = 0;
  /// By place: in which node each was found first, and as the how-manieth handle there.
  const std::uint64_t* found = nullptr;

  /// Of a handle: it is among the arguments of a thunk that is not evaluated.
  static constexpr std::uint32_t in_arguments = 1U << 31U;

  static std::uint64_t as_found(std::uint32_t in, std::uint32_t handle) noexcept {
    return std::uint64_t{in} << 32U | handle;
  }
};

/// From there, one handle further on, at place 1.
Lineage* by_handle(const Lineage& from, std::uint32_t handle);

/// From a thunk down to a node: which handle of each value, or of each thunk's arguments, leads on,
/// counted in the order in which they are serialised.
struct Route {
  Node* from;
  std::vector<std::uint32_t> handles;
};
Route route_to(const Lineage& lineage, std::uint32_t place);

/// The node to which a handle of a value, or of a thunk's arguments, leads; nullptr: there is none,
/// or the thunk has no arguments any more. With the PE's lock held.
Node* handle_of(Node* node, std::uint32_t handle);

/// The nodes to which a value refers, in that order.
std::vector<Node*> references_of(Node* value);

/// What the arguments of a thunk that nobody else can evaluate are, and lead to by way of values
/// that are here; of more than so many nodes not all. Nothing: it can't be told, as memory is out
/// or a type can't be packed.
std::optional<boost::unordered_flat_set<Node*>> needed_by(Node* thunk, std::size_t most);

/// A value and all below it, if that is here, evaluated, and not more than about so many nodes.
/// `looked`: gets so much more as were looked into.
std::optional<boost::unordered_flat_set<Node*>> all_below(Node* value, std::size_t most,
                                                          std::size_t& looked);

/// Of a thunk that nobody else can evaluate; nullptr: it has none, or is being evaluated.
Node* first_argument_of(Node* thunk);
/// Is the node itself among the arguments of such a thunk?
bool is_argument_of(Node* thunk, const Node* node);

/// `into`, of the same code, gets the arguments of a thunk that nobody else can evaluate; of each
/// node among them what `instead` gives.
using Instead = std::function<Node*(Node*)>;
void copy_arguments(Node* thunk, Node* into, const Instead& instead = {});
/// A value that refers to what `instead` gives for what this one refers to.
Node* copy_of_value(Node* value, const Instead& instead);

/// A thunk with the arguments of one that was sent away.
Node* twin_of(Node* thunk);

/// In memory of the collector's.
struct OtherOrigin {
  Lineage* lineage;
  std::uint32_t place;
  OtherOrigin* next;
};

/// What is known of a node of another PE beside its address, where deaths are survived.
struct Witness {
  static constexpr std::uint32_t nobody = 0xffffffff;
  /// Who comes in every value of a loop would keep what all of them were made of. Once a PE is dead
  /// that may be what is needed: what steps have passed on comes from before the first of them.
  static constexpr std::uint8_t most_others = 3;
  static constexpr std::uint8_t most_after_a_death = 32;

  Lineage* lineage = nullptr;
  std::uint32_t place = 0;       ///< in that
  std::uint32_t giver = nobody;  ///< the PE from which the reference came
  bool spare = false;            ///< a copy, for when a PE dies
  bool here = false;             ///< the thunk itself has come; it stands for no other node
  bool fetching = false;   ///< it is guarded, and a FETCH is on its way; or it is being made again
  std::uint8_t tries = 0;  ///< to make it again that are under way
  std::uint8_t count_others = 0;  ///< that were noted
  std::uint32_t depth =
      0;  ///< what the lineage's was, of a value that is here, but not all below it
  OtherOrigin* others = nullptr;  ///< other values below which it has come, since

  /// From now on it is made by this, and by nothing else.
  void comes_from(Lineage* what, std::uint32_t at) noexcept {
    lineage = what;
    place = at;
    others = nullptr;
  }
  /// The thunk has come, or has gone; what was tried is over.
  void begin_anew(bool is_here) noexcept {
    here = is_here;
    fetching = false;
    tries = 0;
  }
  void note_other(Lineage* what, std::uint32_t at, std::uint8_t most);
  /// The next of the others takes the lineage's place. False: there is none.
  bool take_other() noexcept;
};

}  // namespace trawl::heap
