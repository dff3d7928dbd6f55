// A random grid: its PEs, what is between them, and the flags of the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "rts/simulate.hpp"
#include "tests/unit/random_graph.hpp"

namespace trawl::test {

/// The first seed and the one behind the last: those that an environment variable names, N or N-M,
/// else so many.
inline std::pair<std::uint64_t, std::uint64_t> seeds(const char* variable, std::uint64_t how_many) {
  const char* only = std::getenv(variable);
  if (only == nullptr) return {1, how_many + 1};
  char* end = nullptr;
  const auto first = std::strtoull(only, &end, 10);
  return {first, (*end == '-' ? std::strtoull(end + 1, nullptr, 10) : first) + 1};
}

inline Simulation::Config random_grid(Random& random, std::uint64_t seed) {
  Simulation::Config config;
  auto& net = config.net;
  net.pes = 1 + static_cast<int>(below(random, one_of(random, {2U, 4U, 16U})));
  net.seed = seed;
  net.latency = one_of<Nanos>(random, {500, 10'000, 10'000, 200'000, 2'000'000});
  net.jitter = one_of<Nanos>(random, {0, 1'000, 50'000, 3 * net.latency});
  net.reorder = below(random, 2) == 0;
  net.bytes_per_nano = one_of(random, {0.01, 1.0});
  net.limit = one_of<std::size_t>(random, {512, 64 * 1024});
  auto& options = config.options;
  options.policy = one_of<std::string>(
      random, {"trawl", "trawl", "trawl", "random", "targeted", "rs", "crs", "cmrs", "acrs"});
  options.packet_size = one_of<std::size_t>(random, {0, 16, 64, 256, 64 * 1024});
  options.thunks_per_packet = one_of<std::size_t>(random, {0, 1, 3, 1024});
  options.thread_limit = one_of(random, {1U, 2U, 3U, 4U, 1024U});
  options.low_watermark = static_cast<unsigned>(below(random, 4));
  options.max_fish = static_cast<unsigned>(below(random, 4));
  options.spark_pool = one_of<std::size_t>(random, {1, 2, 8, 256});
  options.stack_size = std::size_t{256} << 10U;
  // So long that a moment comes when all fish are kept, see Simulation::settle.
  const auto hop = static_cast<double>(net.latency + net.jitter) + 100 / net.bytes_per_nano;
  options.fish_delay_max = 100 * hop * 1e-3;
  // Satin's steal again at once: while the other PEs are at their thread limit for a second, one
  // such run would take as long as hundreds.
  if (options.policy.ends_with("rs")) options.fish_delay = std::min(500.0, options.fish_delay_max);
  config.full_weight = one_of<heap::Weight>(random, {1, 2, 4, heap::Weight{1} << 32U});
  const bool equal = below(random, 2) == 0;
  const auto clusters = 1 + below(random, 3);
  for (int pe = 0; pe < net.pes; ++pe) {
    net.speed.push_back(equal ? 1 : one_of(random, {0.3, 1.0, 4.0}));
    config.cluster.push_back("cluster" + std::to_string(below(random, clusters)));
  }
  return config;
}

}  // namespace trawl::test
