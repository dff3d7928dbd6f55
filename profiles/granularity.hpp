// How long threads ran, and what was sent away as work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::profile {

/// Numbers by their size: column i has those from 2^(i-1) up to 2^i, column 0 those that are 0.
struct Histogram {
  static constexpr std::size_t columns = 57;

  std::array<std::uint64_t, columns> count{};
  std::uint64_t number = 0;
  double sum = 0;

  void add(std::uint64_t value);
  double mean() const { return number == 0 ? 0 : sum / static_cast<double>(number); }
};

struct Granularity {
  Histogram own;       ///< ns that each thread ran, of sparks of its own PE and of the root
  Histogram imported;  ///< the same, of sparks that came from another PE
  Histogram packets;   ///< bytes of each message that took a spark away
};

/// Of the threads that ended, and the messages that were sent, between two of the run's times. A
/// thread whose beginning is lost is left out. A collection counts to the threads that it stops.
Granularity measure_granularity(const Run& run, Nanos from, Nanos to);

}  // namespace trawl::profile
