// Weights by slot, as they go in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rts/inline/address.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// Of what fills the rest: so no more memory is taken than has come.
inline std::uint32_t read_count(Reader& in, std::size_t size_of_each) {
  const auto count = in.get<std::uint32_t>();
  if (in.left() != count * size_of_each) throw BadBytes("it is not as long as it says");
  return count;
}

using Weights = std::vector<std::pair<std::uint64_t, Weight>>;

/// | count 4 | slot 8 | weight 8 | slot 8 | weight 8 ... |
inline void write_weights(Writer& out, const Weights& weights) {
  out.put(static_cast<std::uint32_t>(weights.size()));
  for (const auto& [slot, weight] : weights) {
    out.put(slot);
    out.put(weight);
  }
}

/// There is one at least, and each is some.
inline Weights read_weights(Reader& in) {
  const auto count = read_count(in, sizeof(std::uint64_t) + sizeof(Weight));
  if (count == 0) throw BadBytes("it has no weights");
  Weights weights;
  weights.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto slot = in.get<std::uint64_t>();
    const auto weight = in.get<Weight>();
    if (weight == 0) throw BadBytes("it brings no weight");
    weights.emplace_back(slot, weight);
  }
  return weights;
}

}  // namespace trawl::heap
