// A run as it is asked for, and the same without Trawl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "programs/galaxy/stars.hpp"

namespace galaxy {

/// How places come to everybody.
enum class Sync { naive, ring };
/// Which share of the stars each node gets.
enum class Balance { even, prefix, prefix_time, time };

struct Run {
  std::size_t stars = 50'000;
  std::uint64_t seed = 1;
  std::size_t steps = 100;
  double theta = 0.5;
  std::size_t batch = 10;  ///< steps from one sorting, and balancing, to the next; 0: never
  Sync sync = Sync::ring;
  Balance balance = Balance::time;
  bool report = false;
  bool declared = false;        ///< simulated, work takes what is counted, not what is measured
  std::string frames;           ///< folder; none: no pictures
  std::size_t frame_every = 1;  ///< steps
  std::size_t frame_pixels = 512;

  /// Is it before this step that stars are sorted?
  bool sorts_before(std::size_t step) const { return batch != 0 && step % batch == 0; }
};

/// The stars at the end, by their ids.
std::vector<Star> run_sequentially(const Run& run);

/// Puts them by their ids.
void by_id(std::vector<Star>& stars);

/// Mean relative error of what pulls some of the stars, against the sum over all pairs.
double mean_error(const std::vector<Star>& stars, double theta, std::size_t sample);

}  // namespace galaxy
