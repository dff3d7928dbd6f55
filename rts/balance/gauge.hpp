// A GAUGE message: what does this link carry?
#pragma once

#include <cstdint>

#include "rts/fabric/kinds.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// Goes before the first FISH over a link between clusters, once short and once long: of how long
/// both take, its receiver sees what the link carries before it sends anything there, or waits for
/// a result (links.hpp).
///
///     | bytes 2 | so many bytes |
struct Gauge {
  static constexpr auto kind = fabric::Kind::gauge;
  /// Of a link of 100 KB/s it takes 20 ms, and only there is a result of a few KB cheap.
  static constexpr std::uint16_t enough = 2048;

  std::uint16_t bytes = 0;

  void write(Writer& out) const;
  static Gauge read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Gauge&, const Gauge&) = default;
};

}  // namespace trawl::balance
