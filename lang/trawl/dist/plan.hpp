// Who is to have which shard in the steps to come (Alt, Mueller and Gorlatch, section 4): predictor
// of a shard's load times performance factor of a place, cut by prefix sums. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <trawl/dist/spreading.hpp>
#include <trawl/inline/places.hpp>

namespace trawl::detail {

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

/// What is known of the way from one place to another.
using WayBetween = std::function<sched::Way(std::size_t from, std::size_t to)>;

/// What to make of costs, where they are known from `before` too. A page fault or the system's time
/// slice may cost a short step as much as its work: what took a place less than a second is
/// believed when it was as much before.
std::vector<double> believed(std::vector<double> costs, std::span<const double> before,
                             std::span<const std::size_t> owners, std::size_t places);

/// How much load each place really got through in a time. Of one that has done nothing: by its
/// strength, as the others.
std::vector<double> factors(const Measured& last);

/// How long moving shards takes, by what `way(from, to)` says of the way between two places. Each
/// place sends and receives one after the other, and so does each link between two clusters.
double moving_time(std::span<const std::size_t> from, std::span<const std::size_t> to,
                   std::span<const double> bytes, std::span<const std::uint32_t> clusters,
                   const WayBetween& way);

/// Who is to have which shard in the steps to come, and what that is predicted to save.
struct Rebalanced {
  std::vector<std::size_t> owners;
  double before = 0;  // what a step takes, in ns
  double after = 0;
  double bytes = 0;   // that move
  double missed = 0;  // ns that this and earlier steps would have saved, had it been so for them
  bool pays = false;
};

/// To move has to save a tenth of a step, and in the steps to come more time than it takes. One
/// step tells little of the fifth after it, so no more than four count, and those before it that
/// would have gained too: so not to have moved costs no more than to move.
Rebalanced rebalanced(const Measured& last, std::span<const double> bytes,
                      std::span<const double> factors, double steps, const WayBetween& way);

/// Where there are far clusters, perhaps to or from them; else as `rebalanced`. `now`: what this PE
/// has done.
Rebalanced replaced(Spreading& spreading, const Measured& last, std::span<const double> bytes,
                    const std::vector<double>& factors, double steps, const WayBetween& way,
                    const sched::Effort& now);

}  // namespace trawl::detail
