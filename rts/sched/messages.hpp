// The scheduler's messages: layouts, and what they promise once they have been read. FISH is in
// rts/balance/fish.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "rts/fabric/kinds.hpp"
#include "rts/fabric/message.hpp"
#include "rts/inline/bounds.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::sched {

/// A FISH of the receiver's was here in vain; now there are sparks.
using WorkAvailable = fabric::Bare<fabric::Kind::work_available>;

/// Somebody has found something better: the least of a bound so far.
///
///     | bound's PE 4 | its number 4 | finder 4 | number 8 |
struct Found {
  static constexpr auto kind = fabric::Kind::found;

  SharedName bound;
  std::uint32_t finder = 0;  ///< the PE; the tree along which all are told begins there
  std::uint64_t number = 0;

  void write(Writer& out) const;
  static Found read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Found&, const Found&) = default;
};

/// A call that changes an object. It goes to the object's home, which gives it its place in their
/// order; from there to all. The arguments follow, packed.
///
///     | object's PE 4 | its number 4 | place 8 | writer 4 | ticket 4 | code 4 | arguments ...
struct Write {
  static constexpr auto kind = fabric::Kind::write;

  SharedName object;
  std::uint64_t place = 0;   ///< 0: none yet
  std::uint32_t writer = 0;  ///< the PE
  std::uint32_t ticket = 0;  ///< its number for the call: 1, 2, ... of this object
  std::uint32_t code = 0;

  void write(Writer& out) const;
  static Write read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Write&, const Write&) = default;
};

/// The main PE begins a round: can anybody go on?
///
///     | round 4 | give_up 1 |
struct Probe {
  static constexpr auto kind = fabric::Kind::probe;

  std::uint32_t round = 0;
  bool give_up = false;  ///< what is being made again may wait for itself: it is lost

  void write(Writer& out) const {
    out.put(round);
    out.put(static_cast<std::uint8_t>(give_up));
  }
  static Probe read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Probe&, const Probe&) = default;
};

/// What a PE answers: whether its workers are at rest, how many messages that carry work it has
/// sent and received, and who waits for what there.
struct Rest {
  bool at_rest = false;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::string report;

  friend bool operator==(const Rest&, const Rest&) = default;
};

/// The answer to a PROBE.
///
///     | round 4 | at rest 1 | sent 8 | received 8 | length 4, report ... |
struct State {
  static constexpr auto kind = fabric::Kind::state;

  std::uint32_t round = 0;
  Rest rest;

  void write(Writer& out) const;
  static State read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const State&, const State&) = default;
};

}  // namespace trawl::sched
