// A FISH message: who asks for work, and who had none.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rts/fabric/kinds.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// The travels of a FISH.
///
///     | thief 4 | number 2 | patience 8 | hungry 8 | ahead 1 | wants 1 | age 1 | PE 4 ... |
struct Fish {
  static constexpr auto kind = fabric::Kind::fish;
  static constexpr std::uint32_t max_age = 10;                  ///< visits at most
  static constexpr Nanos longest_patience = 3'600'000'000'000;  ///< an hour
  static constexpr Nanos most_hungry = longest_patience;        ///< nor is more hunger told

  int thief = 0;
  std::uint16_t number = 0;                  ///< its thief's, who knows it by that; not 0
  Nanos patience = 0;                        ///< how long it may be held where its journey ends
  Nanos hungry = 0;                          ///< for so long its thief has found nothing
  bool ahead = false;                        ///< its thief has still something to do
  std::uint8_t wants = 1;                    ///< sparks: it has so many workers without work
  std::uint32_t age = 0;                     ///< PEs visited so far, at most max_age
  std::array<std::int32_t, max_age> seen{};  ///< the first `age` of these

  std::span<const std::int32_t> visited() const noexcept { return {seen.data(), age}; }
  bool has_visited(int pe) const noexcept;
  /// `pe` has seen this fish and had nothing for it. A fish of full age stays as it is.
  void visit(int pe) noexcept;

  void write(Writer& out) const;
  static Fish read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Fish&, const Fish&) = default;
};

}  // namespace trawl::balance
