#include <numeric>

#include <trawl/dist/shares.hpp>

namespace trawl::detail {

std::vector<std::size_t> cut(std::span<const double> costs, std::span<const double> strengths) {
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

std::vector<double> held(std::span<const double> bytes, std::span<const std::size_t> owners,
                         std::size_t places) {
  std::vector<double> sums(places);
  for (std::size_t i = 0; i < bytes.size(); ++i) sums[owners[i]] += bytes[i];
  return sums;
}

std::vector<std::size_t> cut_to_fit(std::span<const double> costs,
                                    std::span<const double> strengths,
                                    std::span<const double> bytes, std::span<const double> rooms) {
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
