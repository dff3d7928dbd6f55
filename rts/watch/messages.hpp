// The messages by which a run is watched.
#pragma once

#include "rts/fabric/kinds.hpp"
#include "rts/fabric/message.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/pulse.hpp"

namespace trawl::watch {

/// Somebody watches: how are you?
using Look = fabric::Bare<fabric::Kind::look>;

/// The answer.
///
///     | trace::Pulse 256 |
struct Pulse {
  static constexpr auto kind = fabric::Kind::pulse;

  trace::Pulse pulse{};

  void write(Writer& out) const { out.put(pulse); }
  static Pulse read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Pulse&, const Pulse&) = default;
};

}  // namespace trawl::watch
