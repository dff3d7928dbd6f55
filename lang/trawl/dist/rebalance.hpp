// How much of the next step each place gets (Alt, Mueller and Gorlatch, section 4): predictor of a
// shard's load times performance factor of a place, cut by prefix sums. Whole shards move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/apply.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {
namespace detail {

/// What is known of a step.
struct Measured {
  std::vector<double> loads;            // of each shard, in any unit
  std::vector<double> costs;            // what each took, in ns of one worker
  std::vector<std::size_t> owners;      // of each: a place
  std::vector<double> strengths;        // of each place: speed x workers
  std::vector<double> workers;          // of each place
  std::vector<double> rooms;            // of each place, for so many bytes
  std::vector<std::uint32_t> clusters;  // of each place
  std::size_t here = 0;                 // the place of who balances
  double missed = 0;                    // ns, see Rebalanced

  bool is_near(std::size_t place) const { return clusters[place] == clusters[here]; }
  double strength() const { return std::reduce(strengths.begin(), strengths.end()); }
  double near_strength() const {
    double sum = 0;
    for (std::size_t p = 0; p < strengths.size(); ++p) sum += is_near(p) ? strengths[p] : 0;
    return sum;
  }
};

/// What to make of costs, where they are known from `before` too. A page fault or the system's time
/// slice may cost a short step as much as its work: what took a place less than a second is
/// believed when it was as much before.
inline std::vector<double> believed(std::vector<double> costs, std::span<const double> before,
                                    std::span<const std::size_t> owners, std::size_t places) {
  constexpr double short_step = 1e9;
  if (before.size() != costs.size()) return costs;
  const auto sums = held(costs, owners, places);
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (sums[owners[i]] < short_step) costs[i] = std::min(costs[i], before[i]);
  return costs;
}

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

/// How long moving shards takes, by what `way(from, to)` says of the way between two places. Each
/// place sends and receives one after the other, and so does each link between two clusters.
template <class WayBetween>
double moving_time(std::span<const std::size_t> from, std::span<const std::size_t> to,
                   std::span<const double> bytes, std::span<const std::uint32_t> clusters,
                   WayBetween way) {
  std::map<std::pair<std::size_t, std::size_t>, double> flows;  // bytes between two places
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (from[i] != to[i]) flows[{from[i], to[i]}] += bytes[i];
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> links;
  std::vector<double> sends(clusters.size());
  std::vector<double> receives(clusters.size());
  double latency = 0;
  for (const auto& [places, sum] : flows) {
    const auto [one, other] = places;
    const auto its = way(one, other);
    const auto takes = sum / its.bytes_per_nano;
    latency = std::max(latency, its.latency);
    sends[one] += takes;
    receives[other] += takes;
    if (clusters[one] != clusters[other]) links[{clusters[one], clusters[other]}] += takes;
  }
  double longest = 0;
  for (const auto takes : sends) longest = std::max(longest, takes);
  for (const auto takes : receives) longest = std::max(longest, takes);
  for (const auto& link : links) longest = std::max(longest, link.second);
  return 2 * latency + longest;  // who needs a shard asks for it
}

/// Who is to have which shard in the steps to come, and what that is predicted to save.
struct Rebalanced {
  std::vector<std::size_t> owners;
  double before = 0;  // what a step takes, in ns
  double after = 0;
  double bytes = 0;   // that move
  double missed = 0;  // ns that this and earlier steps would have saved, had it been so for them
  bool pays = false;
};

inline double bytes_moved(std::span<const std::size_t> from, std::span<const std::size_t> to,
                          std::span<const double> bytes) {
  double sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += from[i] != to[i] ? bytes[i] : 0;
  return sum;
}

/// To move has to save a tenth of a step, and in the steps to come more time than it takes. One
/// step tells little of the fifth after it, so no more than four count, and those before it that
/// would have gained too: so not to have moved costs no more than to move.
template <class WayBetween>
Rebalanced rebalanced(const Measured& last, std::span<const double> bytes,
                      std::span<const double> factors, double steps, WayBetween way) {
  constexpr double worth_it = 0.9;
  constexpr double foreseen = 4;
  Rebalanced plan;
  plan.owners = cut_to_fit(last.loads, factors, bytes, last.rooms);
  plan.before = step_time(last.loads, last.owners, factors);
  plan.after = step_time(last.loads, plan.owners, factors);
  plan.bytes = bytes_moved(last.owners, plan.owners, bytes);
  if (plan.after >= worth_it * plan.before) return plan;
  const auto moving = moving_time(last.owners, plan.owners, bytes, last.clusters, way);
  const auto saves = plan.before - plan.after;
  plan.pays = saves * steps > moving && last.missed + saves * std::min(steps, foreseen) > moving;
  if (!plan.pays) plan.missed = last.missed + saves;
  return plan;
}

/// The same places, but none of a far cluster gets anything, if there is room without.
inline std::vector<double> near_only(std::vector<double> factors, const Measured& last) {
  for (std::size_t p = 0; p < factors.size(); ++p)
    if (!last.is_near(p)) factors[p] = 0;
  return factors;
}

inline bool all_near(const Measured& last, std::span<const std::size_t> owners) {
  return std::all_of(owners.begin(), owners.end(), [&](auto place) { return last.is_near(place); });
}

/// What the step took that began when the data were balanced last.
inline StepTook step_took(const Measured& last, const sched::Effort& begun,
                          const sched::Effort& ended) {
  const auto time = static_cast<double>(std::max<std::int64_t>(ended.now - begun.now, 1));
  const auto busy = static_cast<double>(ended.busy - begun.busy) / last.workers[last.here];
  return {time, busy_share(last.costs, last.owners, last.workers, last.here, busy / time)};
}

/// A move to the near cluster, or from there to all, if that is better; `pays` says so.
template <class WayBetween>
Rebalanced gathered_or_spread(Spreading& spreading, const StepTook& step, const Measured& last,
                              std::span<const double> bytes, const std::vector<double>& factors,
                              double steps, WayBetween way) {
  const auto all = last.strength();
  const auto near = last.near_strength();
  Rebalanced plan;
  plan.before = step.time;
  if (spreading.should_gather(step, all, near)) {
    plan.owners = cut_to_fit(last.loads, near_only(factors, last), bytes, last.rooms);
    plan.after = Spreading::time_near(step, all, near);
    const auto moving = moving_time(last.owners, plan.owners, bytes, last.clusters, way);
    plan.pays = all_near(last, plan.owners) && (plan.before - plan.after) * steps > moving;
    if (plan.pays) spreading.gather(step);
  } else if (spreading.should_spread(step, all, near)) {
    plan.owners = cut_to_fit(last.loads, factors, bytes, last.rooms);
    plan.after = std::min(spreading.far_time, plan.before);
    plan.pays = true;
    spreading.spread();
  } else {
    spreading.keep();
  }
  if (plan.pays) plan.bytes = bytes_moved(last.owners, plan.owners, bytes);
  return plan;
}

/// Where there are far clusters, perhaps to or from them; else as `rebalanced`.
template <class WayBetween>
Rebalanced replaced(Spreading& spreading, const Measured& last, std::span<const double> bytes,
                    const std::vector<double>& factors, double steps, WayBetween way) {
  const bool has_far = std::any_of(last.clusters.begin(), last.clusters.end(), [&](auto cluster) {
    return cluster != last.clusters[last.here];
  });
  // Where a PE was lost or has come, or this one is another, what was found does not hold.
  if (!has_far || (spreading.is_near && !all_near(last, last.owners))) spreading = {};
  if (has_far && spreading.begun.now > 0) {
    const auto step = step_took(last, spreading.begun, sched::effort_here());
    auto plan = gathered_or_spread(spreading, step, last, bytes, factors, steps, way);
    if (plan.pays) return plan;
  }
  return rebalanced(last, bytes, spreading.is_near ? near_only(factors, last) : factors, steps,
                    way);
}

/// For the event log.
inline void note(const Rebalanced& plan, const Measured& last, std::span<const sched::Site> sites) {
  std::vector<sched::Decision::Part> parts;
  for (const auto& site : sites) parts.push_back({site.pe, 0, 0, 0});
  const double all = std::max(std::reduce(last.loads.begin(), last.loads.end()), 1e-300);
  for (std::size_t i = 0; i < last.loads.size(); ++i) {
    parts[last.owners[i]].before += last.loads[i] / all;
    auto& next = parts[plan.owners[i]];
    next.after += last.loads[i] / all;
    if (plan.owners[i] != last.owners[i]) ++next.come;
  }
  sched::note_decision({plan.before, plan.after, plan.bytes, plan.pays}, parts);
}

template <class Weigh>
inline constexpr std::string_view weight_name = "a weight";
template <auto F>
inline constexpr std::string_view weight_name<By<F>> = function_name<F>();

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
  const auto& parts = d.parts();
  const auto sites = sched::sites();
  if (sites.size() == 1 || parts.shards.empty()) return d;
  Measured last;
  for (const auto& site : sites) {
    last.strengths.push_back(site.strength);
    last.workers.push_back(site.workers);
    last.rooms.push_back(room_of(site, sched::skeletons_between_copies()));
    last.clusters.push_back(site.cluster);
    if (site.pe == sched::pe_here()) last.here = last.clusters.size() - 1;
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
  auto measured = std::exchange(
      last.costs, believed(last.costs, parts.measured, last.owners, last.strengths.size()));
  last.missed = parts.missed;
  predict<Weigh>(last, parts, counts);
  auto balanced = parts;
  if (spread == Spread::everywhere) balanced.spreading = {};
  const auto plan = replaced(balanced.spreading, last, bytes,
                             std::is_same_v<Weigh, ByCost> ? last.strengths : factors(last), steps,
                             [&sites](std::size_t from, std::size_t to) {
                               return sched::way_between(sites[from].pe, sites[to].pe);
                             });
  note(plan, last, sites);
  balanced.measured = std::move(measured);
  balanced.missed = plan.missed;
  balanced.spreading.begun = sched::effort_here();
  if (!plan.pays) return Dist<T>(std::move(balanced));
  std::vector<Place> places;
  for (const auto owner : plan.owners) places.push_back(place_of(sites[owner].pe));
  return moved(balanced, std::move(places));
}

/// `step(... step(d, args...), args...)`, so many times: `step` is made of skeletons, and gives a
/// Dist of the same type. Between two steps shards are balanced, by what they took.
template <auto Step, class T, class... A>
Dist<T> iterate(Dist<T> d, std::size_t steps, const A&... args) {
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
    for (std::size_t i = 0; i < steps; ++i) {
      d = Step(d, args...);
      if (i + 1 != steps) d = rebalance(d, static_cast<double>(steps - i - 1));
    }
  return d;
}

}  // namespace trawl
