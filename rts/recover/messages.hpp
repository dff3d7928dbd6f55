// The messages of a census (census.hpp): layouts, and what they promise once they have been read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rts/fabric/kinds.hpp"
#include "rts/fabric/message.hpp"
#include "rts/inline/address.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::recover {

/// What is counted, one after the other.
enum class Round : std::uint32_t {
  before,  ///< messages that carry weights and were sent before their sender had the view
  held,    ///< HELD messages
};

/// The main PE is told how many messages of a round the sender has sent, and to whom.
///
///     | view 4 | round 4 | count 4 | PE 4 | messages 8 | PE 4 | messages 8 ... |
struct Sent {
  static constexpr auto kind = fabric::Kind::sent;

  std::uint32_t view = 0;  ///< number of changes, see life::View
  Round round = Round::before;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> messages;  ///< by PE; none is 0

  void write(Writer& out) const;
  static Sent read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Sent&, const Sent&) = default;
};

/// The main PE tells how many messages of a round all PEs together have sent to the receiver.
///
///     | view 4 | round 4 | messages 8 |
struct Due {
  static constexpr auto kind = fabric::Kind::due;

  std::uint32_t view = 0;
  Round round = Round::before;
  std::uint64_t messages = 0;

  void write(Writer& out) const;
  static Due read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Due&, const Due&) = default;
};

/// What the sender had of the receiver's slots when it got the view, with what was on its way to
/// it.
///
///     | view 4 | count 4 | slot 8 | weight 8 | slot 8 | weight 8 ... |
struct Held {
  static constexpr auto kind = fabric::Kind::held;

  std::uint32_t view = 0;
  std::vector<std::pair<std::uint64_t, heap::Weight>> weights;  ///< by slot

  void write(Writer& out) const;
  static Held read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Held&, const Held&) = default;
};

}  // namespace trawl::recover
