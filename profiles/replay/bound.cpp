#include "profiles/replay/bound.hpp"

#include <algorithm>
#include <numeric>

namespace replay {
namespace {

constexpr double nano = 1e-9;

}  // namespace

double Bound::seconds() const {
  return std::max({work, path, crossing});
}

Bound bound(const Totals& totals, std::span<const double> speeds, double waiting,
            std::span<const Crossing> crossings) {
  const auto all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const auto fastest = *std::max_element(speeds.begin(), speeds.end());
  Bound bound;
  bound.work = static_cast<double>(totals.work) * nano / all;
  bound.path = static_cast<double>(totals.critical_path) * nano / fastest + waiting;
  for (const auto& [bytes, bytes_a_second] : crossings)
    bound.crossing = std::max(bound.crossing, static_cast<double>(bytes) / bytes_a_second);
  return bound;
}

}  // namespace replay
