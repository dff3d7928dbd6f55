#include "rts/balance/tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace trawl::balance {
namespace {

constexpr Nanos unknown = -1;
constexpr Nanos tolerated_skew = 1'000'000'000;
constexpr Nanos latency_window = 1'000'000'000;
constexpr unsigned latency_told = 0x80;  // in the number of loads

static_assert(sizeof(Load) == 16, "it travels as it is");

// A wrong time far ahead would keep all true rows out for ever.
Nanos in_time(Nanos measured, Nanos now) {
  return measured - tolerated_skew > now ? std::max<Nanos>(now, 0) : measured;
}

[[gnu::always_inline]] inline Load get_load(Reader& in, Nanos now) {
  auto load = in.get<Load>();
  if (load.measured < 0) throw BadBytes("a load measured at a negative time");
  load.pace = std::clamp<std::uint16_t>(load.pace, 1, Load::full_pace);
  load.measured = in_time(load.measured, now);
  return load;
}

std::uint64_t both(std::uint32_t one, std::uint32_t other) noexcept {
  return std::uint64_t{one} << 32U | other;
}

}  // namespace

Tables::Tables(int self, int pes)
    : self_(self),
      statics_(static_cast<std::size_t>(pes)),
      loads_(static_cast<std::size_t>(pes), Load{.measured = unknown}),
      latencies_(static_cast<std::size_t>(pes)),
      strengths_(pes),
      where_(static_cast<std::size_t>(pes), -1),
      clusters_(1),
      place_(static_cast<std::size_t>(pes), -1),
      far_place_(static_cast<std::size_t>(pes), -1) {
  assert(self >= 0 && self < pes);
  for (int pe = 0; pe < pes; ++pe) {
    enter_cluster(pe);
    if (pe == self) continue;
    where_[index(pe)] = static_cast<int>(others_.size());
    others_.push_back(pe);
  }
}

void Tables::set_static(int pe, const PeStatic& facts) {
  if (!std::isfinite(facts.speed) || facts.speed <= 0) {
    throw Error("PE " + std::to_string(pe) + " has speed " + std::to_string(facts.speed) +
                ": give it one above 0");
  }
  if (facts.cores < 1) {
    throw Error("PE " + std::to_string(pe) + " has " + std::to_string(facts.cores) +
                " cores: give it at least 1");
  }
  auto& row = statics_[index(pe)];
  if (lost(pe)) {
    row = facts;
    return;
  }
  const bool moves = facts.cluster != row.cluster;
  leave_cluster(pe);
  strengths_ += facts.strength() - row.strength();
  row = facts;
  if (facts.cluster >= clusters()) clusters_.resize(facts.cluster + 1);
  enter_cluster(pe);
  if (pe != self_ || !moves) return;
  for (const int other : others_) is_far(other) ? put_far(other) : take_from_far(other);
}

// ---- clusters

void Tables::enter_cluster(int pe) {
  Cluster& cluster = clusters_[cluster_of(pe)];
  place_[index(pe)] = static_cast<int>(cluster.members.size());
  cluster.members.push_back(pe);
  cluster.strength += static_of(pe).strength();
  cluster.lowest = cluster.lowest < 0 ? pe : std::min(cluster.lowest, pe);
  if (is_far(pe)) put_far(pe);
}

void Tables::leave_cluster(int pe) {
  Cluster& cluster = clusters_[cluster_of(pe)];
  auto& members = cluster.members;
  const int last = members.back();
  members[static_cast<std::size_t>(place_[index(pe)])] = last;
  place_[index(last)] = place_[index(pe)];
  members.pop_back();
  cluster.strength -= static_of(pe).strength();
  if (members.empty())
    cluster.lowest = -1;
  else if (cluster.lowest == pe)
    cluster.lowest = *std::min_element(members.begin(), members.end());
  take_from_far(pe);
}

void Tables::put_far(int pe) {
  if (far_place_[index(pe)] >= 0) return;
  far_place_[index(pe)] = static_cast<int>(far_.size());
  far_.push_back(pe);
}

void Tables::take_from_far(int pe) {
  const int place = far_place_[index(pe)];
  if (place < 0) return;
  const int last = far_.back();
  far_[static_cast<std::size_t>(place)] = last;
  far_place_[index(last)] = place;
  far_.pop_back();
  far_place_[index(pe)] = -1;
}

void Tables::note_steal(std::uint32_t cluster, Nanos took, Nanos ended, bool brought_work) {
  auto& steal = clusters_[cluster].steal;
  if (steal.took < 0) stolen_.push_back(cluster);
  steal = {std::max<Nanos>(took, 1), ended, brought_work ? 0 : steal.in_vain + 1};
  best_steal_ = steal.took;
  for (const auto each : stolen_) best_steal_ = std::min(best_steal_, last_steal(each).took);
}

// ---- what is heard

bool Tables::note_load(int pe, const Load& load) {
  if (pe == self_ || lost(pe)) return false;
  auto& row = loads_[index(pe)];
  if (load.measured <= row.measured) return false;
  if (row.measured < 0) move_to(pe, known_++);
  // Who just ran out is news as urgent as who has some: it stops an old rumour.
  const bool hot = load.sparks > 0 || row.sparks > 0;
  row = load;
  if (hot) note_hot(pe);
  return true;
}

bool Tables::note_latency(int pe, const Latency& latency) {
  if (pe == self_ || lost(pe)) return false;
  auto& row = latencies_[index(pe)];
  const auto before = row.latency.measured;
  if (latency.measured <= before) return false;
  row.latency.measured = latency.measured;
  const auto took = std::max<Nanos>(latency.one_way, 0);
  const bool new_window = before < 0 || latency.measured - row.begun >= latency_window;
  if (!new_window && took >= row.least && row.latency.one_way >= lowest_) return true;
  if (new_window) {
    row.latency.one_way = before < 0 ? took : row.least;
    row.begun = latency.measured;
  }
  row.least = took;
  row.latency.one_way = std::min(row.latency.one_way, took);
  note_change(pe, row.latency);
  return true;
}

void Tables::note_change(int pe, const Latency& latency) {
  if (is_far(pe)) {
    const auto its = cluster_of(pe);
    note_between({std::min(own_cluster(), its), std::max(own_cluster(), its), latency});
  }
  // Whose it was may have come to be far: then others, as they are heard of, are lower.
  if (pe == nearest_ || latency.one_way < lowest_) {
    nearest_ = pe;
    lowest_ = latency.one_way;
  }
}

void Tables::note_between(const Between& row) {
  const auto key = both(row.one, row.other);
  if (const auto known = between_at_.find(key); known != between_at_.end()) {
    auto& latency = between_[known->second].latency;
    if (latency.measured < row.latency.measured) latency = row.latency;
  } else if (between_.size() < max_latency_rows) {
    between_at_.emplace(key, between_.size());
    between_.push_back(row);
  }
}

Latency Tables::latency_between(std::uint32_t one, std::uint32_t other) const noexcept {
  const auto known = between_at_.find(both(std::min(one, other), std::max(one, other)));
  return known == between_at_.end() ? Latency{.measured = unknown}
                                    : between_[known->second].latency;
}

void Tables::set_own_pace(std::uint16_t pace) noexcept {
  assert(pace > 0);
  own_pace_ = pace;
}

void Tables::forget(int pe) {
  if (pe == self_ || lost(pe)) return;
  if (known(pe)) move_to(pe, --known_);
  move_to(pe, static_cast<int>(others_.size()) - 1);
  others_.pop_back();
  where_[index(pe)] = -1;
  loads_[index(pe)] = Load{.measured = unknown};
  latencies_[index(pe)] = {};
  strengths_ -= static_of(pe).strength();
  leave_cluster(pe);
  if (nearest_ == pe) {
    nearest_ = -1;
    lowest_ = never;
  }
  for (auto& hot : hot_) hot.remove(pe);
}

void Tables::move_to(int pe, int place) {
  const int from = where_[index(pe)];
  const int other = others_[static_cast<std::size_t>(place)];
  std::swap(others_[static_cast<std::size_t>(from)], others_[static_cast<std::size_t>(place)]);
  where_[index(other)] = from;
  where_[index(pe)] = place;
}

void Tables::Hot::remove(int pe) noexcept {
  count = static_cast<std::size_t>(std::remove(all.begin(), all.begin() + count, pe) - all.begin());
}

void Tables::note_hot(int pe) {
  auto& hot = hot_[is_far(pe) ? 1 : 0];
  const auto end = hot.all.begin() + hot.count;
  if (std::find(hot.all.begin(), end, pe) != end) return;
  if (hot.count < max_hot) {
    hot.all[hot.count++] = pe;
    return;
  }
  const auto oldest = std::min_element(hot.all.begin(), end, [this](int a, int b) {
    return load_of(a).measured < load_of(b).measured;
  });
  if (load_of(*oldest).measured < load_of(pe).measured) *oldest = pe;
}

void Tables::write_piggyback(Writer& out, Nanos now, const Load& own, int to) {
  latest_ = std::max(latest_, now);
  out.put(Load{own.sparks, own.runnable, own_pace_, std::max<Nanos>(now, 0)});
  const auto count_at = out.size();
  out.put(std::uint8_t{0});

  std::array<int, max_relayed> told{};
  std::uint8_t count = 0;
  const auto tell = [&](int pe) {
    if (pe == to) return;
    if (std::find(told.begin(), told.begin() + count, pe) != told.begin() + count) return;
    told[count++] = pe;
    out.put(static_cast<std::uint32_t>(pe));
    out.put(load_of(pe));
  };
  const auto near_hots = hot_[0].count;
  const auto hots = near_hots + hot_[1].count;
  for (std::size_t i = 0; i < std::min(hots, max_relayed / 2); ++i) {
    const auto at = next_hot_++ % hots;
    tell(at < near_hots ? hot_[0].all[at] : hot_[1].all[at - near_hots]);
  }
  const auto known = static_cast<std::size_t>(known_);
  // A row told already has had its turn: skipping it keeps the cost bounded.
  for (std::size_t i = 0; i < std::min(known, max_relayed) && count < max_relayed; ++i) {
    tell(others_[next_known_++ % known]);
  }
  if (!between_.empty()) {
    out.put(between_[next_between_++ % between_.size()]);
    count |= latency_told;
  }
  out.patch(count_at, count);
}

Tables::Between Tables::get_between(Reader& in, Nanos now) const {
  auto row = in.get<Between>();
  if (row.one >= row.other || row.other >= clusters())
    throw BadBytes("the latency between clusters that do not exist");
  if (row.latency.one_way < 0 || row.latency.measured < 0)
    throw BadBytes("a latency that is negative");
  row.latency.measured = in_time(row.latency.measured, now);
  return row;
}

Load Tables::read_piggyback(Reader& in, int from, Nanos now) {
  if (from < 0 || from >= size()) throw BadBytes("a message from a PE that does not exist");
  const auto own = get_load(in, now);
  const auto told = in.get<std::uint8_t>();
  const auto count = told & ~latency_told;
  if (count > max_relayed) throw BadBytes("too many loads in a piggyback");
  std::array<std::pair<int, Load>, max_relayed> relayed;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pe = in.get<std::uint32_t>();
    if (pe >= loads_.size()) throw BadBytes("the load of a PE that does not exist");
    relayed[i] = {static_cast<int>(pe), get_load(in, now)};
  }
  Between between;
  if ((told & latency_told) != 0) between = get_between(in, now);
  latest_ = std::max(latest_, now);
  if (between.one != between.other) note_between(between);
  note_load(from, own);
  for (std::size_t i = 0; i < count; ++i) note_load(relayed[i].first, relayed[i].second);
  return own;
}

}  // namespace trawl::balance
