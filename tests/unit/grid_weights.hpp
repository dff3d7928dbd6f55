// The invariant of weighted reference counting, over a whole simulated grid.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "rts/simulate.hpp"

namespace trawl::test {

/// To be called when nothing is under way: for every slot, the weight that is out is held
/// somewhere, by PEs that have not died.
inline void expect_weights_conserved(Simulation& simulation) {
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  std::map<Key, heap::Weight> out;
  std::map<Key, heap::Weight> held;
  for (int i = 0; i < simulation.size(); ++i) {
    if (simulation.has_ended(i)) continue;
    auto& shared_heap = simulation.pe(i).shared_heap();
    for (const auto& [slot, weight] : shared_heap.addresses().weights_out())
      out[{static_cast<std::uint32_t>(i), slot}] = weight;
    for (const auto& [slot, weight] : shared_heap.weights_held())
      if (!simulation.has_ended(static_cast<int>(slot.first))) held[slot] += weight;
  }
  EXPECT_EQ(out, held);
}

}  // namespace trawl::test
