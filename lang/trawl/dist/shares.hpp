// How much of a sequence goes where: pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace trawl::detail {

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
inline std::vector<std::size_t> cut(std::span<const double> costs,
                                    std::span<const double> strengths) {
  const double all = std::reduce(costs.begin(), costs.end());
  const double sum = std::reduce(strengths.begin(), strengths.end());
  std::vector<std::size_t> owners;
  owners.reserve(costs.size());
  std::size_t owner = 0;
  double before = 0;
  double end = strengths[0];
  for (const double cost : costs) {
    const double middle = all > 0 ? (before + cost / 2) / all * sum : 0;
    while (middle >= end && owner + 1 < strengths.size()) end += strengths[++owner];
    owners.push_back(owner);
    before += cost;
  }
  return owners;
}

/// What lies with each owner.
inline std::vector<double> held(std::span<const double> bytes, std::span<const std::size_t> owners,
                                std::size_t places) {
  std::vector<double> sums(places);
  for (std::size_t i = 0; i < bytes.size(); ++i) sums[owners[i]] += bytes[i];
  return sums;
}

/// As `cut`, but nobody gets more bytes than he has room for: others get more of the costs then, as
/// their strengths are. If there is not room for all, each is as full as the others.
inline std::vector<std::size_t> cut_to_fit(std::span<const double> costs,
                                           std::span<const double> strengths,
                                           std::span<const double> bytes,
                                           std::span<const double> rooms) {
  constexpr int rounds = 64;
  constexpr double a_little_less = 0.99;
  std::vector<double> shares(strengths.begin(), strengths.end());
  for (int round = 0; round < rounds; ++round) {
    auto owners = cut(costs, shares);
    const auto used = held(bytes, owners, shares.size());
    bool fits = true;
    for (std::size_t p = 0; p < shares.size(); ++p) {
      if (used[p] <= rooms[p]) continue;
      shares[p] *= rooms[p] / used[p] * a_little_less;
      fits = false;
    }
    if (fits) return owners;
  }
  return cut(bytes, rooms);
}

}  // namespace trawl::detail
