// How the pieces of skeletons ran, which are evaluated where they are placed.
#pragma once

#include <string>
#include <vector>

#include "profiles/report/audit.hpp"

namespace trawl::profile {

inline constexpr double uneven_from = 1.25;  ///< times what the mean PE has

/// Numbers only, and no decision yet. Times are in s.
struct Pieces {
  bool lead = false;      ///< most threads are such pieces
  std::string function;   ///< of them, that which ran longest in all
  double mean = 0;        ///< that one of its pieces ran
  double each = 0;        ///< that all pieces of one PE ran, the mean of those without the root
  int busiest = -1;       ///< the one of these on which they ran longest
  bool is_roots = false;  ///< no, the root's, clearly: then nothing is said of the root
  double its = 0;         ///< ... and for how long
  /// A share of the run: that the root's PE ran more than that mean, as it also evaluates pieces.
  double root_alone = 0;
};

Pieces judge_pieces(const std::vector<FunctionAudit>& functions, int pes, double seconds);

}  // namespace trawl::profile
