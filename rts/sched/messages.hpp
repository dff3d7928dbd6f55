// The scheduler's messages: layouts, and what they promise once they have been read. FISH is in
// rts/balance/policy.hpp.
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

  BoundName bound;
  std::uint32_t finder = 0;  ///< the PE; the tree along which all are told begins there
  std::uint64_t number = 0;

  void write(Writer& out) const;
  static Found read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Found&, const Found&) = default;
};

/// The main PE begins a round: can anybody go on?
///
///     | round 4 |
struct Probe {
  static constexpr auto kind = fabric::Kind::probe;

  std::uint32_t round = 0;

  void write(Writer& out) const { out.put(round); }
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
