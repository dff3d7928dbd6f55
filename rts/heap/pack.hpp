// Packets: a part of the heap on its way to another PE.
//
// Breadth first from the root (GUM), or depth first for who goes through a structure in that order.
// Values are copied; where the root is a thunk, thunks that it
// refers to move with it, up to a number; black holes and whatever no longer fits go as references.
// Sharing and cycles inside a packet survive, the root included. Layout: the payloads of all nodes,
// one after the other, then a table of runs of nodes that are alike, then the length of the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/fabric/memory.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/heap/packet.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::heap {

struct PackLimits {
  std::size_t bytes =
      64 * 1024;              ///< payload after which only references are packed (root excepted)
  std::size_t thunks = 1024;  ///< thunks that may move with the root

  /// Bytes of a value that goes along with a thunk. Sparks often share a larger one: it goes as a
  /// reference, so a PE that gets many of them fetches it once.
  static constexpr std::size_t largest_beside_thunk = 4096;
  /// Bytes of a value from which on what needs it is better evaluated where it lies.
  static constexpr std::size_t large = std::size_t{32} << 10U;
};

/// Where a packet goes. What is known to be there already goes as a reference.
struct Receiver {
  static constexpr std::uint32_t unknown = 0xffffffff;

  std::uint32_t pe = unknown;
  Arrays arrays = Arrays::copied;
};

/// What the receiver is likely to need behind the root.
class Following {
 public:
  /// Values, or with a thunk also thunks, that he knows by name, one after the other; at the end
  /// nullptr. So many thunks go with the root already; the value before went as itself, not as a
  /// reference.
  virtual Node* next(std::size_t thunks, bool copied) = 0;
  /// This slot of ours he gets as a reference as the packet holds enough, after those that he was
  /// told of before.
  virtual void left(std::uint64_t slot) = 0;
  /// Will he look at all that a child leads to before he looks at the next one?
  virtual bool depth_first() const = 0;

 protected:
  ~Following() = default;
};

/// Packs what `root` refers to, and where there is room left in the packet what follows. `root` is
/// finished, or claimed by the caller (State::exported), who takes back his claim if it throws: all
/// else is then as if it had not been called, but for what is in `to`. Gives the number of thunks
/// that move, the root included.
std::size_t pack_graph(Writer& to, Node* root, GlobalAddressTable& addresses,
                       const PackLimits& limits, const Receiver& receiver = {},
                       Following* following = nullptr);

/// A thunk that came in a packet, and what it was known by where it came from.
struct Arrived {
  Node* thunk;
  Reference was;
};

struct Unpacked {
  Node* root = nullptr;
  boost::container::small_vector<Arrived, 4> thunks;  ///< to be acknowledged; the root comes first
  boost::container::small_vector<Node*, 4> resolved;  ///< were here as proxies, are themselves now
  boost::container::small_vector<Node*, 4> ahead;     ///< new proxies: those given to `ahead`
  boost::container::small_vector<Node*, 4> deep;      ///< proxies: it is time to fetch them
  bool lost = false;         ///< there is no root: its value was lost with a PE
  bool handed_back = false;  ///< nor here: its receiver is to see to it himself
  bool leaves_data = false;  ///< it refers to large values that stay where they are

  /// Is the root a thunk that has moved here?
  bool moved() const noexcept { return !thunks.empty() && thunks.front().thunk == root; }
};

/// Is told of a value, unknown here, for which there was no more room in the packet: before its
/// payloads are read, so that the next packet can be made meanwhile. Gives the proxy's ticket.
using Ahead = std::function<std::uint32_t(const Address&)>;

/// Known nodes, into which a packet is being read.
using BeingRead = boost::unordered_flat_set<Node*>;

/// Reads one packet of the PE `from`, to its end. The root becomes `into`, a proxy or an exported
/// thunk of ours that lacks its value (else that stays as it is), or a new node if `into` is
/// nullptr. Throws BadBytes; then nothing was changed that anybody could see, but `into` and the
/// nodes it names may no longer be evaluated; throws Error if a PE that lends an array has died.
/// `ahead` may be nullptr; it is not called when there is much to choose from, unless the packet
/// says what comes first. With `outbox`, it steps out of the lock while it reads much; what it
/// reads into is added to `being_read` before.
Unpacked unpack_graph(Reader& packet, std::uint32_t from, GlobalAddressTable& addresses,
                      const fabric::Memory& memory, Node* into, const Ahead* ahead = nullptr,
                      fabric::Outbox* outbox = nullptr, BeingRead* being_read = nullptr);

}  // namespace trawl::heap
