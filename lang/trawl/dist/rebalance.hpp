// Whole shards move to where the next steps will be done sooner (Alt, Mueller and Gorlatch, section
// 4): what the last one took is asked for here, plan.hpp says who gets what.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/apply.hpp>
#include <trawl/dist/plan.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {
namespace detail {

/// What is known of the step that made some shards.
struct Told {
  Measured last;
  std::vector<std::uint64_t> counts;  // of elements in each shard
  std::vector<double> bytes;          // of each
};

/// Of shards of these shapes. Nothing where one has failed, or does not lie on one of the sites.
std::optional<Told> told_of(std::span<const sched::Site> sites, std::span<const Place> places,
                            std::span<const Shape> shapes);

/// For the event log.
void note(const Rebalanced& plan, const Measured& last, std::span<const sched::Site> sites);

template <class Weigh, class T>
double weight_of_shard(std::uint64_t at, const Shard<T>& shard) {
  return by_function("rebalance", weight_name<Weigh>, at, [&shard] {
    double sum = 0;
    for (const auto& x : force(shard.elements)) sum += Weigh()(x);
    return sum;
  });
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
    for (std::uint64_t i = 0; i < d.shards.size(); ++i)
      weights.push_back(lazy_placed<&weight_of_shard<Weigh, T>>(i, d.shards[i]));
    start(weights, d.places);
    for (const auto& weight : weights) last.loads.push_back(force(weight));
  }
}

}  // namespace detail

/// Where `rebalance` may move data to.
enum class Spread : bool {
  as_pays,     ///< all PEs, or, where steps mostly wait for links, those of the caller's cluster
  everywhere,  ///< all PEs
};

/// The same data, moved to where `steps` more steps like the one that made them will be done
/// sooner: with each place's share as what it got through of the load, by what was measured. The
/// load of a shard is predicted by what its elements weigh (`by<&Body::work>`, `by_count`), or is
/// what it took (`by_cost`, for elements of unequal and unknown cost). Waits until d is made. No
/// answer depends on it: shards stay what they are. What a weight throws it throws; on one PE
/// nothing is weighed.
template <class T, class Weigh = ByCost>
Dist<T> rebalance(const Dist<T>& d, double steps = 1, Weigh = {}, Spread spread = Spread::as_pays) {
  using namespace detail;
  if constexpr (!std::is_same_v<Weigh, ByCost>)
    if (!weighs<Weigh, T>()) return d;
  const auto& parts = d.parts();
  const auto sites = sched::sites();
  if (sites.size() == 1 || parts.shards.empty()) return d;
  std::vector<Shape> shapes;
  for (const auto& group : parts.groups())
    std::ranges::copy(force(group).shapes, std::back_inserter(shapes));
  auto told = told_of(sites, parts.places, shapes);
  if (!told) return d;
  auto& [last, counts, bytes] = *told;
  auto measured = std::exchange(
      last.costs, believed(last.costs, parts.measured, last.owners, last.strengths.size()));
  last.missed = parts.missed;
  predict<Weigh>(last, parts, counts);
  auto balanced = parts;
  if (spread == Spread::everywhere) balanced.spreading = {};
  const auto now = sched::effort_here();
  const auto way = [&sites](std::size_t from, std::size_t to) {
    return sched::way_between(sites[from].pe, sites[to].pe);
  };
  const auto plan =
      replaced(balanced.spreading, last, bytes,
               std::is_same_v<Weigh, ByCost> ? last.strengths : factors(last), steps, way, now);
  note(plan, last, sites);
  balanced.measured = std::move(measured);
  balanced.missed = plan.missed;
  balanced.spreading.begun = now;
  if (!plan.pays) return Dist<T>(std::move(balanced));
  std::vector<Place> places;
  for (const auto owner : plan.owners) places.push_back(place_of(sites[owner].pe));
  return moved(balanced, std::move(places));
}

/// `step(... step(d, args...), args...)`, so many times: `step` is made of skeletons, and gives a
/// Dist of the same type. Between two steps shards are balanced, by what they took. Throws Error
/// where `steps` is negative.
template <auto Step, class T, std::integral Steps, class... A>
Dist<T> iterate(Dist<T> d, Steps steps, const A&... args) {
  if (std::cmp_less(steps, 0)) throw Error("iterate can't go a negative number of steps");
  constexpr bool fits = [] {
    if constexpr (std::is_invocable_v<decltype(Step), Dist<T>&, const A&...>)
      return std::is_convertible_v<std::invoke_result_t<decltype(Step), Dist<T>&, const A&...>,
                                   Dist<T>>;
    else
      return false;
  }();
  static_assert(fits,
                "trawl: iterate's function has to take a Dist and these arguments, and to give a "
                "Dist of the same type.");
  if constexpr (fits)
    for (auto left = static_cast<std::size_t>(steps); left != 0;) {
      d = Step(d, args...);
      if (--left != 0) d = rebalance(d, static_cast<double>(left));
    }
  return d;
}

}  // namespace trawl
