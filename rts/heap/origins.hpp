// While a packet is read: from what those of its nodes could be made again that are elsewhere, or
// may need what is (lineage.hpp, rts/recover/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/global_address_table.hpp"
#include "rts/heap/ways.hpp"

namespace trawl::heap {

/// A node of a packet, at its place.
struct Found {
  Node* node = nullptr;
  Node* guard = nullptr;  ///< the arguments that `node` had
  std::uint32_t place = 0;
  bool filled = false;  ///< it gets its value, or is made, by the packet
};

/// Those of one packet. First `ways` are noted, then what comes from somewhere is added, then the
/// others are noted.
class Origins {
 public:
  Origins(GlobalAddressTable& addresses, std::uint32_t from) : addresses_(addresses), from_(from) {}

  Ways ways;

  /// Is it known from what it can be made again?
  bool comes_from(const Found& found) const;
  /// ... from the arguments that it had.
  bool is_guarded(const Found& found) const;
  void begin(std::size_t nodes) { lineages_.resize(nodes); }
  void add(const Found& value);
  /// All have been added.
  void pass_down() { ways.pass_down(lineages_); }

  /// Of a node that the packet refers to: it is elsewhere, or a thunk that has come here before.
  void note(const Found& proxy);
  /// It takes so much to make again what it has come with that it is fetched: with what is new what
  /// is half as deep, or the next would be as deep again.
  bool is_deep(const Found& proxy) const {
    const Lineage* lineage = of(proxy);
    return lineage != nullptr && addresses_.is_deep(lineage->depth) &&
           addresses_.is_deep(2 * addresses_.depth_of(proxy.node));
  }
  /// Of a thunk that has come along with another: it is known by the name that it had, which stands
  /// for nothing else any more.
  void note_thunk(const Found& thunk, const Address& was);

 private:
  using Needed = std::optional<boost::unordered_flat_set<Node*>>;

  Lineage* of(const Found& found) const {
    return lineages_.empty() ? nullptr : lineages_[found.place];
  }
  std::uint32_t depth_below(Node* guard);
  Lineage* by_other_value(const Found& found) const;
  void note_other(Witness& witness, Lineage* lineage, const Found& proxy, std::uint32_t place);
  void note_known_thunk(const Found& thunk, const Lineage& lineage);
  bool needs(const Lineage& lineage, Node* node);
  const Needed& needed_by(Node* guard);

  GlobalAddressTable& addresses_;
  std::uint32_t from_;
  std::vector<Lineage*> lineages_;  // by place: below which value that can be made again it is
  Node* guard_ = nullptr;           // what was last asked about, and
  Needed needed_;                   // what it needs
};

}  // namespace trawl::heap
