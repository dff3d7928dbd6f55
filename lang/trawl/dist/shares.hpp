// How much of a sequence goes where: pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <trawl/inline/error.hpp>

namespace trawl::detail {

/// What was a negative number before it was given to a skeleton is a very large one.
inline void refuse_negative(const char* skeleton, std::uint64_t n) {
  if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error(std::string(skeleton) + ": there can't be a negative number of elements");
}

/// How many shards n elements are in: by n alone, or answers would depend on who computes them.
/// Enough for PEs of unequal speed; few where they would be small; none of more than 2^20 elements
/// where that can be had with some thousands.
inline std::size_t shard_count(std::uint64_t n) {
  constexpr std::uint64_t usual = 64;
  constexpr std::uint64_t most = 4096;
  constexpr std::uint64_t large = std::uint64_t{1} << 20U;
  return static_cast<std::size_t>(
      std::min({std::max<std::uint64_t>(n, 1), most, std::max(usual, n / large)}));
}

/// Where shard i of `count` begins.
inline std::uint64_t shard_begin(std::uint64_t n, std::size_t count, std::size_t i) {
  return n / count * i + std::min<std::uint64_t>(i, n % count);
}

/// Contiguous runs of shards whose costs are as their owners' strengths: each shard goes where its
/// middle lies (the prefix-sum cut of Alt, Mueller and Gorlatch, section 4.2). Gives the place in
/// `strengths`, of which there is one at least, for each shard.
std::vector<std::size_t> cut(std::span<const double> costs, std::span<const double> strengths);

/// What lies with each owner.
std::vector<double> held(std::span<const double> bytes, std::span<const std::size_t> owners,
                         std::size_t places);

/// As `cut`, but nobody gets more bytes than he has room for: others get more of the costs then, as
/// their strengths are. If there is not room for all, each is as full as the others.
std::vector<std::size_t> cut_to_fit(std::span<const double> costs,
                                    std::span<const double> strengths,
                                    std::span<const double> bytes, std::span<const double> rooms);

}  // namespace trawl::detail
