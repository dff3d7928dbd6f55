#include <algorithm>
#include <map>
#include <utility>

#include <trawl/dist/plan.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl::detail {
namespace {

// How long the slowest takes.
double step_time(std::span<const double> loads, std::span<const std::size_t> owners,
                 std::span<const double> factors) {
  std::vector<double> times(factors.size());
  for (std::size_t i = 0; i < loads.size(); ++i) times[owners[i]] += loads[i] / factors[owners[i]];
  return *std::max_element(times.begin(), times.end());
}

double bytes_moved(std::span<const std::size_t> from, std::span<const std::size_t> to,
                   std::span<const double> bytes) {
  double sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += from[i] != to[i] ? bytes[i] : 0;
  return sum;
}

// The same places, but none of a far cluster gets anything, if there is room without.
std::vector<double> near_only(std::vector<double> factors, const Measured& last) {
  for (std::size_t p = 0; p < factors.size(); ++p)
    if (!last.is_near(p)) factors[p] = 0;
  return factors;
}

bool all_near(const Measured& last, std::span<const std::size_t> owners) {
  return std::all_of(owners.begin(), owners.end(), [&](auto place) { return last.is_near(place); });
}

// What the step took that began when the data were balanced last.
StepTook step_took(const Measured& last, const sched::Effort& begun, const sched::Effort& ended) {
  const auto time = static_cast<double>(std::max<std::int64_t>(ended.now - begun.now, 1));
  const auto busy = static_cast<double>(ended.busy - begun.busy) / last.workers[last.here];
  return {time, busy_share(last.costs, last.owners, last.workers, last.here, busy / time)};
}

// A move to the near cluster, or from there to all, if that is better; `pays` says so.
Rebalanced gathered_or_spread(Spreading& spreading, const StepTook& step, const Measured& last,
                              std::span<const double> bytes, const std::vector<double>& factors,
                              double steps, const WayBetween& way) {
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

}  // namespace

std::vector<double> believed(std::vector<double> costs, std::span<const double> before,
                             std::span<const std::size_t> owners, std::size_t places) {
  constexpr double short_step = 1e9;
  if (before.size() != costs.size()) return costs;
  const auto sums = held(costs, owners, places);
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (sums[owners[i]] < short_step) costs[i] = std::min(costs[i], before[i]);
  return costs;
}

std::vector<double> factors(const Measured& last) {
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

double moving_time(std::span<const std::size_t> from, std::span<const std::size_t> to,
                   std::span<const double> bytes, std::span<const std::uint32_t> clusters,
                   const WayBetween& way) {
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

Rebalanced rebalanced(const Measured& last, std::span<const double> bytes,
                      std::span<const double> factors, double steps, const WayBetween& way) {
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

Rebalanced replaced(Spreading& spreading, const Measured& last, std::span<const double> bytes,
                    const std::vector<double>& factors, double steps, const WayBetween& way,
                    const sched::Effort& now) {
  const bool has_far = std::any_of(last.clusters.begin(), last.clusters.end(), [&](auto cluster) {
    return cluster != last.clusters[last.here];
  });
  // Where a PE was lost or has come, or this one is another, what was found does not hold.
  if (!has_far || (spreading.is_near && !all_near(last, last.owners))) spreading = {};
  if (has_far && spreading.begun.now > 0) {
    const auto step = step_took(last, spreading.begun, now);
    auto plan = gathered_or_spread(spreading, step, last, bytes, factors, steps, way);
    if (plan.pays) return plan;
  }
  return rebalanced(last, bytes, spreading.is_near ? near_only(factors, last) : factors, steps,
                    way);
}

}  // namespace trawl::detail
