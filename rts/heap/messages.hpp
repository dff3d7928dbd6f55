// The heap's messages: layouts, and what they promise once they have been read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "rts/fabric/kinds.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// A spark, to be evaluated by the receiver; its result goes home unasked.
///
///     | fish 2 | again 1 | packet (packet.hpp) ... |
struct Schedule {
  static constexpr auto kind = fabric::Kind::schedule;

  std::uint16_t fish = 0;  ///< the number of the FISH that it answers; 0: it comes along
  bool again = false;      ///< another PE has it, too, and is slow with it

  void write(Writer& out) const;
  static Schedule read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// A node of the receiver's is needed by `pe`, for its proxy for `key` that has this ticket. Who
/// has sent the thunk on sends the FETCH after it, and then `target` is no longer `key`.
///
///     | target 16 | pe 4 | ticket 4 | key's PE 4 | direct 4 | key's slot 8 |
struct Fetch {
  static constexpr auto kind = fabric::Kind::fetch;

  Address target;
  std::uint32_t pe = 0;
  std::uint32_t ticket = 0;
  Address key;
  bool direct = false;  ///< by who has it itself: others were to pass it on, in vain

  void write(Writer& out) const;
  static Fetch read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// The receiver has, or is about to get, the sender's value `key`, which was sent for its proxy
/// with ticket `copy`: `pe` needs it as well, for its proxy with `ticket`. If the receiver has it
/// no more, he sends the FETCH back.
///
///     | key 16 | copy 4 | pe 4 | ticket 4 |
struct Relay {
  static constexpr auto kind = fabric::Kind::relay;

  Address key;
  std::uint32_t copy = 0;
  std::uint32_t pe = 0;
  std::uint32_t ticket = 0;

  void write(Writer& out) const;
  static Relay read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Relay&, const Relay&) = default;
};

/// A value, an exception, or a thunk: for the receiver's proxy for `key` that has this ticket, or,
/// as the result of a spark, for its own node `key`, with the weight that the spark took along.
///
///     | key 16 | weight 8 | ticket 4 | packet (packet.hpp) ... |
struct Resume {
  static constexpr auto kind = fabric::Kind::resume;

  Address key;
  Weight weight = 0;  ///< none for a proxy, some for the receiver's own node
  std::uint32_t ticket = 0;

  // As it lies there, without the padding: it is what is sent most.
  static constexpr std::size_t size = sizeof(Address) + sizeof(Weight) + sizeof(std::uint32_t);
  void write(Writer& out) const { out.raw(this, size); }
  static Resume read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Resume&, const Resume&) = default;
};

/// Thunks of the receiver's have arrived in a packet: what they were there, what they are here.
///
///     | count 4 | was 24 | is 24 | was 24 | is 24 ... |
struct Ack {
  static constexpr auto kind = fabric::Kind::ack;

  struct Moved {
    Reference was;
    Reference is;

    friend bool operator==(const Moved&, const Moved&) = default;
  };

  boost::container::small_vector<Moved, 4, PlainAllocator<Moved>> thunks;

  void write(Writer& out) const;
  static Ack read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Ack&, const Ack&) = default;
};

/// Weights of the receiver's slots come home.
///
///     | count 4 | slot 8 | weight 8 | slot 8 | weight 8 ... |
struct Free {
  static constexpr auto kind = fabric::Kind::free;

  std::vector<std::pair<std::uint64_t, Weight>> weights;  ///< by slot

  void write(Writer& out) const;
  static Free read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Free&, const Free&) = default;
};

using Collect = fabric::Bare<fabric::Kind::collect>;

}  // namespace trawl::heap
