// Where the default policy fishes in other clusters: for tests of it.
#pragma once

#include <map>
#include <vector>

#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {

inline const Cast near_cast{1, 5, 1, false, 0};

/// With a near FISH under way: where does the next go?
inline std::map<int, int> far_victims(const Tables& tables, Situation pe,
                                      std::vector<Cast> far = {}) {
  far.push_back(near_cast);
  pe.under_way = far;
  return victims("trawl", tables, pe);
}

inline const std::map<int, int> nowhere{{-1, 10'000}};

/// How many of 10,000 go to this cluster.
inline int times_to(const std::map<int, int>& chosen, const Tables& tables, std::uint32_t cluster) {
  int sum = 0;
  for (const auto& [pe, times] : chosen)
    if (pe >= 0 && tables.cluster_of(pe) == cluster) sum += times;
  return sum;
}
inline bool goes_to(const std::map<int, int>& chosen, const Tables& tables, std::uint32_t cluster) {
  return times_to(chosen, tables, cluster) > 0;
}

}  // namespace trawl::balance
