// How much of the next step each place gets (Alt, Mueller and Gorlatch, section 4): predictor of a
// shard's load times performance factor of a place, cut by prefix sums. Whole shards move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <trawl/dist/apply.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {
namespace detail {

/// What is known of a step.
struct Measured {
  std::vector<double> loads;        // of each shard, in any unit
  std::vector<double> costs;        // what each took, in ns of one worker
  std::vector<std::size_t> owners;  // of each: a place
  std::vector<double> strengths;    // of each place: speed x workers
  std::vector<double> workers;      // of each place
};

/// How much load each place really got through in a time. Of one that has done nothing: by its
/// strength, as the others.
inline std::vector<double> factors(const Measured& last) {
  const auto places = last.strengths.size();
  std::vector<double> loads(places);
  std::vector<double> costs(places);
  for (std::size_t i = 0; i < last.loads.size(); ++i) {
    loads[last.owners[i]] += last.loads[i];
    costs[last.owners[i]] += last.costs[i];
  }
  std::vector<double> factors(places);
  double known = 0;
  double strength = 0;
  for (std::size_t p = 0; p < places; ++p) {
    if (loads[p] <= 0 || costs[p] <= 0) continue;
    known += factors[p] = loads[p] / costs[p] * last.workers[p];
    strength += last.strengths[p];
  }
  for (std::size_t p = 0; p < places; ++p)
    if (factors[p] <= 0) factors[p] = last.strengths[p] * (known > 0 ? known / strength : 1);
  return factors;
}

/// How long the slowest takes.
inline double step_time(std::span<const double> loads, std::span<const std::size_t> owners,
                        std::span<const double> factors) {
  std::vector<double> times(factors.size());
  for (std::size_t i = 0; i < loads.size(); ++i) times[owners[i]] += loads[i] / factors[owners[i]];
  return *std::max_element(times.begin(), times.end());
}

/// Who is to have which shard in the steps to come. As it was where moving does not pay: it has to
/// save a tenth of a step, and in the steps to come more time than the bytes take, which is
/// guessed: one a nanosecond. One step tells little of the fifth after it, so no more than four
/// count.
inline std::vector<std::size_t> rebalanced(const Measured& last, std::span<const double> bytes,
                                           std::span<const double> factors, double steps) {
  constexpr double worth_it = 0.9;
  constexpr double foreseen = 4;
  auto owners = cut(last.loads, factors);
  const auto before = step_time(last.loads, last.owners, factors);
  const auto after = step_time(last.loads, owners, factors);
  double moved = 0;
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != last.owners[i]) moved += bytes[i];
  const bool pays =
      after < worth_it * before && (before - after) * std::min(steps, foreseen) > moved;
  return pays ? owners : last.owners;
}

template <class Weigh, class T>
double weight_of_shard(const Shard<T>& shard) {
  double sum = 0;
  for (const auto& x : force(shard.elements)) sum += Weigh()(x);
  return sum;
}

/// The predicted load of each shard. By cost: what it took, were all workers of speed 1.
template <class Weigh, class T>
void predict(Measured& last, const Parts<T>& d, std::span<const std::uint64_t> counts) {
  if constexpr (std::is_same_v<Weigh, ByCost>) {
    for (std::size_t i = 0; i < last.costs.size(); ++i)
      last.loads.push_back(last.costs[i] * last.strengths[last.owners[i]] /
                           last.workers[last.owners[i]]);
  } else if constexpr (std::is_same_v<Weigh, ByCount>) {
    last.loads.assign(counts.begin(), counts.end());
  } else {
    std::vector<Lazy<double>> weights;
    for (const auto& shard : d.shards)
      weights.push_back(lazy_placed<&weight_of_shard<Weigh, T>>(shard));
    start(weights, d.places);
    for (const auto& weight : weights) last.loads.push_back(force(weight));
  }
}

}  // namespace detail

/// The same data, moved to where `steps` more steps like the one that made them will be done
/// sooner: with each place's share as what it got through of the load, by what was measured. The
/// load of a shard is predicted by what its elements weigh (`by<&Body::work>`, `by_count`), or is
/// what it took (`by_cost`, for elements of unequal and unknown cost). Waits until d is made. No
/// answer depends on it: shards stay what they are.
template <class T, class Weigh = ByCost>
Dist<T> rebalance(const Dist<T>& d, double steps = 1, Weigh = {}) {
  using namespace detail;
  const auto& parts = d.parts();
  const auto sites = sched::sites();
  if (sites.size() == 1 || parts.shards.empty()) return d;
  Measured last;
  for (const auto& site : sites) {
    last.strengths.push_back(site.strength);
    last.workers.push_back(site.workers);
  }
  std::vector<std::uint64_t> counts;
  std::vector<double> bytes;
  for (const auto& group : parts.made)
    for (const auto& shape : force(group).shapes) {
      if (shape.failed) return d;
      counts.push_back(shape.count);
      bytes.push_back(static_cast<double>(shape.bytes));
      last.costs.push_back(static_cast<double>(shape.cost));
    }
  for (const auto place : parts.places) {
    const auto site = std::find_if(sites.begin(), sites.end(),
                                   [&](const auto& each) { return each.pe == pe_of(place); });
    if (site == sites.end()) return d;
    last.owners.push_back(static_cast<std::size_t>(site - sites.begin()));
  }
  predict<Weigh>(last, parts, counts);
  const auto owners = rebalanced(
      last, bytes, std::is_same_v<Weigh, ByCost> ? last.strengths : factors(last), steps);
  if (owners == last.owners) return d;
  std::vector<Place> places;
  for (const auto owner : owners) places.push_back(place_of(sites[owner].pe));
  return moved(parts, std::move(places));
}

/// `step(... step(d, args...), args...)`, so many times: `step` is made of skeletons, and gives a
/// Dist of the same type. Between two steps shards are balanced, by what they took.
template <auto Step, class T, class... A>
Dist<T> iterate(Dist<T> d, std::size_t steps, const A&... args) {
  for (std::size_t i = 0; i < steps; ++i) {
    d = Step(d, args...);
    if (i + 1 != steps) d = rebalance(d, static_cast<double>(steps - i - 1));
  }
  return d;
}

}  // namespace trawl
