// The default: the best of all of them (README.md says what comes from where). Inside a cluster
// Grid-GUM2's tables, with FISH that are held where they end; to other clusters the asynchronous
// FISH of crs, but one PE sends them for its whole cluster, before the work is at an end.
#include <algorithm>

#include "rts/balance/choices.hpp"

namespace trawl::balance {
namespace {

constexpr int main_pe = 0;
constexpr std::uint32_t max_unguided_age = 3;
constexpr Nanos row_life = 20'000'000;  // after that, a row counts half
constexpr Nanos longest_ahead = 300'000'000;
constexpr Nanos worth_fetching_ahead = 5'000'000;
constexpr Nanos much_slower = 10;               // than the best: such a link is left alone
constexpr Nanos probe_interval = 4;             // times what the last steal there took
constexpr std::int64_t thin = 10'000;           // a link that carries less a second
constexpr Nanos long_way_home = 1'000'000'000;  // for a mean result
constexpr std::uint64_t doubt = 8;              // so much less often where no work has come from
constexpr std::size_t large_result = 65'536;    // in bytes: as of one of the first steals
constexpr int far_draws = 16;

double trust(const Tables& tables, int pe) {
  const auto& latency = tables.latency_to(pe);
  const auto life = row_life + (latency.measured < 0 ? 0 : 2 * latency.one_way);
  const auto age = std::max<Nanos>(0, tables.latest() - tables.load_of(pe).measured);
  return static_cast<double>(life) / static_cast<double>(life + age);
}

double aged_load(const Tables& tables, int pe) {
  return relative_load(tables, pe) * trust(tables, pe);
}

// ---- near

/// How good a guess a PE without known sparks is, of 4: threads that run may spark again.
std::uint64_t promise(const Tables& tables, int pe) {
  if (!tables.known(pe)) return 2;
  return tables.load_of(pe).runnable > 0 ? 4 : 1;
}

/// A random PE of the own cluster, the more promising with the higher probability; where there are
/// no clusters, the nearer too.
int guess(const Tables& tables, Dice& dice) {
  const auto is_choice = [&](int pe) {
    return pe != tables.self() && !tables.lost(pe) && !tables.is_far(pe);
  };
  // Before anything is heard of it, the main PE is the one that certainly has work. What comes from
  // other clusters comes to the representative.
  if (is_choice(main_pe) && !tables.known(main_pe) && dice.below(2) == 0) return main_pe;
  if (const int pe = tables.representative(tables.own_cluster());
      tables.has_clusters() && is_choice(pe) && dice.below(2) == 0)
    return pe;
  int pe = -1;
  for (int tries = 0; tries < 24; ++tries) {
    pe = random_near(tables, dice);
    if (pe < 0) break;
    const bool near = is_near(tables, pe);
    if (dice.below(16) < promise(tables, pe) * (near ? 4 : 1)) break;
  }
  return pe;
}

int near_victim(const Tables& tables, Dice& dice) {
  Busiest busiest(dice);
  for_each_with_sparks(tables, [&](int each) {
    if (!tables.is_far(each))
      busiest.offer(each, is_near(tables, each) ? 1 : 0, aged_load(tables, each));
  });
  return busiest.pe() >= 0 ? busiest.pe() : guess(tables, dice);
}

// ---- far

Bandwidth bandwidth_to(const Tables& tables, std::uint32_t cluster) {
  return tables.links().between(tables.own_cluster(), cluster);
}

/// Results that come home over it keep the run waiting. (Of short messages nobody can tell a thin
/// link from one whose latency changes; nor do they need more.)
bool is_thin(const Tables& tables, const Bandwidth& link) {
  if (link.measured < 0 || link.bytes_a_second >= thin) return false;
  return tables.mean_result() == 0 || link.carrying(tables.mean_result()) > long_way_home;
}

/// Are sparks and results?
bool is_all_short(const Tables& tables) {
  constexpr std::size_t few_bytes = 600;
  return tables.mean_result() != 0 && tables.mean_spark() != 0 &&
         tables.mean_spark() + tables.mean_result() < few_bytes;
}

/// A thin link, while there is a better one.
bool is_left_alone(const Tables& tables, const Bandwidth& link) {
  return is_thin(tables, link) && tables.links().best() >= much_slower * link.bytes_a_second;
}

/// What comes home over it may be long: it is measured before anything is sent for. (Where there
/// are so many links that some are forgotten, they would be measured again and again.)
bool is_to_be_gauged(const Tables& tables, std::uint32_t cluster) {
  if (tables.clusters() * (tables.clusters() - 1) > Links::max_links) return false;
  const auto link = bandwidth_to(tables, cluster);
  return link.measured < 0 ? !is_all_short(tables) : is_left_alone(tables, link);
}

/// To the cluster from where work comes soonest, as far as is known.
Nanos round_trip(const Tables& tables) {
  if (tables.best_steal().took > 0) return tables.best_steal().believed();
  const auto other = tables.cluster_of(tables.is_far(main_pe) ? main_pe : tables.far().front());
  return 2 * tables.latency_between(tables.own_cluster(), other).one_way;
}

bool is_slow(const Tables& tables, std::uint32_t cluster) {
  const auto& best = tables.best_steal();
  return best.took > 0 && tables.last_steal(cluster).believed() > much_slower * best.believed();
}

/// Of a thin link: while there is a better one, what is known of it has to be old first. Where all
/// are thin, as much is stolen as half of it can carry home; but nothing at once.
Nanos thin_ready_at(const Tables& tables, const Situation& pe, std::uint32_t cluster,
                    const Bandwidth& link) {
  const auto in = [&](Nanos wait) {
    return pe.now + link.measured + wait - std::max(tables.latest(), link.measured);
  };
  if (is_left_alone(tables, link)) return in(probe_interval * link.carrying(large_result));
  const auto& steal = tables.last_steal(cluster);
  if (steal.took < 0) return in(probe_interval * round_trip(tables));
  const auto result = tables.mean_result() == 0 ? large_result : tables.mean_result();
  return steal.ended + 2 * link.carrying(result);
}

/// When a FISH may go to this cluster again.
Nanos ready_at(const Tables& tables, const Situation& pe, std::uint32_t cluster) {
  const auto& steal = tables.last_steal(cluster);
  const auto link = bandwidth_to(tables, cluster);
  const auto ready = is_thin(tables, link) ? thin_ready_at(tables, pe, cluster, link) : Nanos{0};
  return is_slow(tables, cluster) ? std::max(ready, steal.ended + probe_interval * steal.believed())
                                  : ready;
}

/// Those that should be back by now are taken for lost in a slow link.
bool is_overdue(const Tables& tables, const Situation& pe, const Cast& cast) {
  return cast.far && tables.best_steal().took > 0 &&
         pe.now - cast.sent > much_slower * tables.best_steal().believed();
}

unsigned under_way_in_time(const Tables& tables, const Situation& pe) {
  return static_cast<unsigned>(
      std::count_if(pe.under_way.begin(), pe.under_way.end(),
                    [&](const Cast& cast) { return cast.far && !is_overdue(tables, pe, cast); }));
}

/// One or two may be at PEs that have no core just now.
bool is_stuck(const Tables& tables, const Situation& pe, std::uint32_t cluster) {
  constexpr std::ptrdiff_t enough = 3;
  return std::count_if(pe.under_way.begin(), pe.under_way.end(), [&](const Cast& cast) {
           return cast.cluster == cluster && is_overdue(tables, pe, cast);
         }) >= enough;
}

/// Where nothing is known of the link, or it is thin, one FISH at a time; unless what they bring
/// and what goes home is short.
bool is_being_tried(const Tables& tables, const Situation& pe, std::uint32_t cluster) {
  const auto link = bandwidth_to(tables, cluster);
  return (link.measured < 0 ? !is_all_short(tables) : is_thin(tables, link)) &&
         std::any_of(pe.under_way.begin(), pe.under_way.end(),
                     [&](const Cast& cast) { return cast.cluster == cluster; });
}

/// Rather than where a link is known to be good, or work comes from.
bool is_doubtful(const Tables& tables, std::uint32_t cluster) {
  if (tables.best_steal().brought_work && !tables.last_steal(cluster).brought_work) return true;
  return bandwidth_to(tables, cluster).measured < 0 && tables.links().best() >= much_slower * thin;
}

/// How far ahead of its end work is to be asked for: two round trips.
Nanos horizon(const Tables& tables) {
  return std::min(2 * round_trip(tables), longest_ahead);
}

Decision fish_far(const Tables& tables, int victim) {
  return {.victim = victim, .gauges = is_to_be_gauged(tables, tables.cluster_of(victim))};
}

/// Any PE elsewhere, rather where work has come from; with a probability that is inverse to the
/// time that a steal in its cluster takes until one brings work. What is known of loads so far away
/// is old, and would send all to the same.
Decision choose_far(const Tables& tables, const Situation& pe, Dice& dice) {
  const auto best = tables.best_steal().price();
  const bool main_unheard =
      tables.is_far(main_pe) && !tables.lost(main_pe) && !tables.known(main_pe);
  Decision decision;
  int doubtful = -1;  // one of them: better than nobody
  int cheapest = -1;  // of those that are drawn
  double its_price = 0;
  for (int i = 0; i < far_draws; ++i) {
    const int each = i == 0 && main_unheard ? main_pe : dice.one_of(tables.far());
    const auto cluster = tables.cluster_of(each);
    if (is_stuck(tables, pe, cluster) || is_being_tried(tables, pe, cluster)) continue;
    if (const auto ready = ready_at(tables, pe, cluster); pe.now < ready) {
      decision.again = std::min(decision.again, ready);
      continue;
    }
    if (is_doubtful(tables, cluster) && dice.below(doubt) != 0) {
      doubtful = each;
      continue;
    }
    const auto price = tables.last_steal(cluster).price();
    if (dice.share() * price <= best) return fish_far(tables, each);
    if (cheapest < 0 || price < its_price) {
      cheapest = each;
      its_price = price;
    }
  }
  if (cheapest < 0) cheapest = doubtful;
  if (cheapest >= 0) return fish_far(tables, cheapest);
  return decision;
}

std::size_t members(const Tables& tables) {
  return tables.members(tables.own_cluster()).size();
}

/// Far FISH that may be out, with those that should long be back: in a large cluster more, where
/// many would wait for one after the other.
std::size_t most_casts(const Tables& tables) {
  constexpr std::size_t few = 24;
  return std::max(few, members(tables) / 2);
}

/// What has come a slow PE begins with, though a faster one that asks later would be done sooner:
/// where far work comes soon, it has one FISH out, near or far, and none before it is idle.
bool asks_for_one(const Tables& tables) {
  constexpr double clearly = 0.8;
  constexpr Nanos as_if_near = 20'000'000;
  return !tables.far().empty() &&
         tables.strength_now(tables.self()) < clearly * tables.mean_strength_now() &&
         horizon(tables) <= as_if_near;
}

/// Does somebody in this cluster run out of work about when that comes that is asked for now? Else
/// it would lie here, while others have none.
bool is_wanted_soon(const Tables& tables, const Situation& pe) {
  constexpr Nanos soon = 4;
  return pe.between_threads / static_cast<Nanos>(members(tables)) <= soon * horizon(tables);
}

unsigned out_in_time(const Tables& tables, const Situation& pe) {
  return count_far(pe, false) + under_way_in_time(tables, pe);
}

/// FISH that are out, of those that may be for this PE itself.
unsigned out_for_itself(const Tables& tables, const Situation& pe) {
  return asks_for_one(tables) ? out_in_time(tables, pe) : count_far(pe, false);
}

Decision next_far(const Tables& tables, const Situation& pe, Dice& dice) {
  if (tables.far().empty() || tables.representative(tables.own_cluster()) != tables.self())
    return {};
  const bool ahead = !pe.idle && pe.waiting == 0;
  if (asks_for_one(tables) && (ahead || out_in_time(tables, pe) >= std::max(1U, pe.waiting)))
    return {};
  // What is there as soon as it is asked for, who is slow should not have before.
  const auto early = horizon(tables);
  const bool worth_it = early > worth_fetching_ahead;
  const auto in_stock = is_wanted_soon(tables, pe) ? 1U : 0U;
  if (ahead && (!worth_it || in_stock == 0 || pe.rest > early)) return {};
  const auto own = pe.idle ? 1U : in_stock;
  const auto most = ahead ? 1U : std::max(worth_it ? 1 + in_stock : 1U, own + pe.waiting);
  if (under_way_in_time(tables, pe) >= most || count_far(pe, true) >= most_casts(tables)) return {};
  if (pe.now < pe.far_after) return {.again = pe.far_after};
  return choose_far(tables, pe, dice);
}

double strength_of_the_living(const Tables& tables) {
  return tables.mean_strength_now() * static_cast<double>(tables.others().size() + 1);
}

/// Of a list's last sparks, as far as can be seen, with work alike: would all others be done with
/// them, and this PE with one more, before the thief were with its one?
bool is_too_slow(const Tables& tables, int thief, const Supply& has) {
  constexpr std::uint32_t long_quiet = 2;
  if (has.quiet < long_quiet) return false;
  const auto own = tables.speed_now(tables.self());
  const auto its = tables.speed_now(thief);
  const auto all = strength_of_the_living(tables);
  return own > its && 1 / its > 1 / own + has.spare / all;
}

/// `some`, but no more than the thief's share of the sparks if all PEs got some for their strength;
/// at least one.
std::uint32_t within_share(const Tables& tables, int thief, std::uint32_t sparks,
                           std::uint32_t some) {
  constexpr double rounding = 1e-9;  // it must not take one from an exact result
  if (some <= 1) return some;
  const auto share = std::min(1.0, tables.strength_now(thief) / strength_of_the_living(tables));
  return std::clamp(static_cast<std::uint32_t>(share * sparks * (1 + rounding)), 1U, some);
}

/// Much nearer than the thief: after its long way a FISH may look there, too.
bool is_on_its_way(const Tables& tables, int thief, int pe) {
  constexpr Nanos much_nearer = 8;
  if (!tables.is_far(thief)) return false;
  const auto there = tables.latency_between(tables.own_cluster(), tables.cluster_of(pe));
  const auto home = tables.latency_between(tables.own_cluster(), tables.cluster_of(thief));
  return there.measured >= 0 && much_nearer * there.one_way <= home.one_way;
}

class Trawl final : public Policy {
 public:
  Means means() const override {
    return {.holds_fish = true,
            .announces = true,
            .looks_ahead = true,
            .backs_up = true,
            .goes_to_data = true,
            .waits_for_data = true};
  }

  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const override {
    Dice dice(random);
    const auto far = next_far(tables, pe, dice);  // first: near ones would take all that may be out
    if (far.victim >= 0 || !pe.hungry || out_for_itself(tables, pe) >= pe.most_near) return far;
    if (!pe.idle && pe.now < pe.near_after)  // nobody holds a FISH of who is not idle
      return {.again = std::min(far.again, pe.near_after)};
    const int victim = near_victim(tables, dice);
    return victim >= 0 ? Decision{.victim = victim} : far;
  }

  /// Near the thief if it is of this cluster; else here, or on its way home. Where nothing is
  /// known, not over far links.
  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    Dice dice(random);
    Busiest busiest(dice);
    const auto home = tables.cluster_of(fish.thief);
    const bool late = comes_home_late(tables, fish.thief);
    for_each_with_sparks(tables, [&](int each) {
      const bool own = !tables.is_far(each);
      if (each == fish.thief || fish.has_visited(each) || (own && late)) return;
      if (own || tables.cluster_of(each) == home || is_on_its_way(tables, fish.thief, each))
        busiest.offer(each, own ? 1 : 0, aged_load(tables, each));
    });
    if (busiest.pe() >= 0) return busiest.pe();
    return tables.is_far(fish.thief) ? fish.thief : forward_unguided(tables, fish, dice);
  }

  /// Of few, as divide and conquer leaves them, the oldest alone may be most of the work; of those
  /// a PE with several idle workers gets one for each, and leaves at least half of them. Of many it
  /// gets no more than its share, for its strength: what it can't begin with soon, others ask for
  /// in vain. To another cluster more, if there are very many: a round trip has to be worth it; but
  /// of a list that nobody has tried yet no more than a PE's share, as it may be of long sparks,
  /// and its first FISH would have most of it. A far thief that still has work does not get the
  /// last.
  std::uint32_t portion(const Tables& tables, const Fish& fish, const Supply& has) const override {
    constexpr std::uint32_t many = 32, most = 8, many_far = 16, most_far = 32;
    if (is_too_slow(tables, fish.thief, has) || comes_home_late(tables, fish.thief)) return 0;
    const auto at_most_its_share = [&](std::uint32_t some) {
      return within_share(tables, fish.thief, has.spare, some);
    };
    if (!tables.is_far(fish.thief))
      return std::max(at_most_its_share(std::min(1 + has.spare / many, most)),
                      std::min<std::uint32_t>(fish.wants, has.spare / 2));
    if (fish.ahead && has.spare < 2) return 0;
    const auto some =
        std::clamp(for_its_speed(tables, fish.thief, has.spare / many_far), 1U, most_far);
    return has.untried ? at_most_its_share(some) : some;
  }

  unsigned low_watermark(const Tables& tables, unsigned flag) const override {
    return watermark_by_strength(tables, flag);
  }

 private:
  /// What it would be given: over a link that is left alone.
  static bool comes_home_late(const Tables& tables, int thief) {
    return tables.is_far(thief) &&
           is_left_alone(tables, bandwidth_to(tables, tables.cluster_of(thief)));
  }

  /// A slower one gets less.
  static std::uint32_t for_its_speed(const Tables& tables, int thief, std::uint32_t sparks) {
    const auto ratio = tables.speed_now(thief) / tables.speed_now(tables.self());
    return ratio >= 1 ? sparks : static_cast<std::uint32_t>(ratio * sparks);
  }

  /// It ends where far work comes to.
  static int forward_unguided(const Tables& tables, const Fish& fish, Dice& dice) {
    const int end = tables.has_clusters() ? tables.representative(tables.own_cluster()) : -1;
    if (end == tables.self()) return fish.thief;
    const auto most = end < 0 ? max_unguided_age : max_unguided_age - 1;
    int next = -1;
    if (fish.age <= most)
      next = random_unvisited(tables, tables.members(tables.own_cluster()), fish, dice);
    if (next < 0 && end >= 0 && end != fish.thief && !fish.has_visited(end)) next = end;
    return next < 0 ? fish.thief : next;
  }
};

}  // namespace

std::unique_ptr<Policy> make_trawl() {
  return std::make_unique<Trawl>();
}

}  // namespace trawl::balance
