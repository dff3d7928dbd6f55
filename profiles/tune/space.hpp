// What may be chosen: factors, each with a few levels, one of which is what a run has by itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tune {

struct Factor {
  std::string name;                 ///< of the flag, without --trawl:
  std::vector<std::string> levels;  ///< as a user would write them
  std::size_t usual = 0;            ///< the default
};

using Space = std::vector<Factor>;

/// A level of each factor.
using Setting = std::vector<std::size_t>;

inline Setting usual(const Space& space) {
  Setting setting;
  for (const auto& factor : space) setting.push_back(factor.usual);
  return setting;
}

}  // namespace tune
