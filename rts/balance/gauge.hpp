// A GAUGE message: what does this link carry?
#pragma once

#include <cstdint>

#include "rts/fabric/kinds.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// Goes before the first FISH over a link between clusters, once empty and once long, and comes
/// back in the same way: of how long both take, their receivers see what the link carries, there
/// and back, before anything is sent for (links.hpp).
///
///     | answers 1 | bytes 2 | so many bytes |
struct Gauge {
  static constexpr auto kind = fabric::Kind::gauge;
  /// Of a link of 100 KB/s it takes 20 ms, and only there is a result of a few KB cheap.
  static constexpr std::uint16_t enough = 2048;

  bool answers = false;
  std::uint16_t bytes = 0;

  void write(Writer& out) const;
  static Gauge read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Gauge&, const Gauge&) = default;
};

}  // namespace trawl::balance
