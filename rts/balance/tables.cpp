#include "rts/balance/tables.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <boost/container/static_vector.hpp>

namespace trawl::balance {
namespace {

constexpr Latency unknown_latency{.measured = -1};
constexpr Steal no_steal;
constexpr Nanos tolerated_skew = 1'000'000'000;
constexpr Nanos latency_window = 1'000'000'000;
// In the number of loads.
constexpr unsigned latency_told = 0x80, bandwidth_told = 0x40, objects_told = 0x20;

static_assert(sizeof(Load) == 16, "it travels as it is");

// A wrong time far ahead would keep all true rows out for ever.
Nanos in_time(Nanos measured, Nanos now) {
  return measured - tolerated_skew > now ? std::max<Nanos>(now, 0) : measured;
}

[[gnu::always_inline]] inline Load get_load(Reader& in, Nanos now) {
  auto load = in.get<Load>();
  if (load.measured < 0) throw BadBytes("a load measured at a negative time");
  load.pace = std::max<std::uint16_t>(load.pace, 1);
  load.measured = in_time(load.measured, now);
  return load;
}

std::uint64_t key_of(int pe) noexcept {
  return static_cast<std::uint64_t>(pe);
}

// Round and round.
std::size_t take_turn(std::size_t& next, std::size_t count) noexcept {
  if (next >= count) next = 0;
  return next++;
}

}  // namespace

Tables::Tables(int self, int pes)
    : self_(self), roster_(Roster::shared({{.pes = static_cast<std::uint32_t>(pes)}})) {
  assert(self >= 0 && self < pes);
}

void Tables::set_roster(std::shared_ptr<const Roster> roster) {
  assert(roster->size() == size());
  for (int pe = 0; roster_->living() < size() && pe < size(); ++pe)
    if (lost(pe)) roster = roster->without(pe);
  roster_ = std::move(roster);
  own_cluster_ = cluster_of(self_);
  links_.set_own_cluster(own_cluster_);
  hot_ = {};
  strength_now_.reset();
  for (const auto& [pe, load] : loads_.entries())
    if (load.sparks > 0) note_hot(static_cast<int>(pe), load, true);
  for (const auto& [pe, measured] : latencies_.entries())
    note_change(static_cast<int>(pe), measured.latency);
}

// Of the few hundred whose rows there are: all others are taken to be as the roster says.
double Tables::mean_strength_now() const {
  const auto living = static_cast<double>(others().size() + 1);
  if (!strength_now_) {
    const auto lacks = [this](int pe) { return static_of(pe).strength() - strength_now(pe); };
    double sum = lacks(self_);
    for (const auto& [pe, load] : loads_.entries()) sum += lacks(static_cast<int>(pe));
    strength_now_ = mean_strength() * living - sum;
  }
  return *strength_now_ / living;
}

// ---- what is heard

const Latency& Tables::latency_to(int pe) const noexcept {
  const auto* row = latencies_.find(key_of(pe));
  return row == nullptr ? unknown_latency : row->latency;
}

const Steal& Tables::last_steal(std::uint32_t cluster) const noexcept {
  const auto* row = steals_.find(cluster);
  return row == nullptr ? no_steal : *row;
}

void Tables::note_steal(std::uint32_t cluster, Nanos took, Nanos ended, bool brought_work) {
  Steal steal{.took = std::max<Nanos>(took, 1), .ended = ended, .brought_work = brought_work};
  if (auto* last = steals_.find(cluster)) {
    steal.in_vain = brought_work ? 0 : last->in_vain + 1;
    steal.before = last->took;
    steal.brought_work |= last->brought_work;
    *last = steal;
  } else {
    steal.in_vain = brought_work ? 0 : 1;
    steals_.add(cluster, steal);
  }
  fastest_steal_ = steal.took;
  best_steal_ = steal;
  for (const auto& each : steals_.entries()) {
    fastest_steal_ = std::min(fastest_steal_, each.row.took);
    if (members(static_cast<std::uint32_t>(each.key)).empty()) continue;
    if (each.row.price() < best_steal_.price()) best_steal_ = each.row;
  }
}

bool Tables::note_load(int pe, const Load& load) {
  auto* row = loads_.find(key_of(pe));
  if (row == nullptr) {
    if (!is_told_of(pe) || load.measured < 0) return false;
    if (loads_.entries().size() == max_loads) strength_now_.reset();  // one goes for it
    row = loads_.add(key_of(pe), {.measured = load.measured - 1});
    if (row == nullptr) return false;
  }
  if (load.measured <= row->measured) return false;
  if (load.pace != row->pace) strength_now_.reset();
  // Who just ran out is news as urgent as who has some: it stops an old rumour.
  const bool news = load.sparks > 0 || row->sparks > 0;
  *row = load;
  note_hot(pe, load, news);
  return true;
}

bool Tables::note_latency(int pe, const Latency& latency) {
  const auto took = std::max<Nanos>(latency.one_way, 0);
  auto* row = latencies_.find(key_of(pe));
  if (row == nullptr) {
    if (!is_told_of(pe)) return false;
    row = latencies_.add(key_of(pe), {{took, latency.measured}, latency.measured, took});
    if (row != nullptr) note_change(pe, row->latency);
    return row != nullptr;
  }
  if (latency.measured <= row->latency.measured) return false;
  row->latency.measured = latency.measured;
  const bool new_window = latency.measured - row->begun >= latency_window;
  if (!new_window && took >= row->least && row->latency.one_way >= lowest_) return true;
  if (new_window) {
    row->latency.one_way = row->least;
    row->begun = latency.measured;
  }
  row->least = new_window ? took : std::min(row->least, took);
  row->latency.one_way = std::min(row->latency.one_way, took);
  note_change(pe, row->latency);
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
  const auto key = key_of(row.one, row.other);
  if (auto* known = between_.find(key)) {
    if (known->when() < row.when()) *known = row;
  } else {
    between_.add(key, row);
  }
}

Latency Tables::latency_between(std::uint32_t one, std::uint32_t other) const noexcept {
  const auto* known = between_.find(key_of(std::min(one, other), std::max(one, other)));
  return known == nullptr ? unknown_latency : known->latency;
}

void RecentMean::note(std::size_t bytes) noexcept {
  constexpr std::size_t remembered = 64;
  if (count_ == remembered) {
    count_ /= 2;
    sum_ /= 2;
  }
  ++count_;
  sum_ += std::min(bytes, std::size_t{1} << 40U);
}

void Tables::set_own_pace(std::uint16_t pace) noexcept {
  assert(pace > 0);
  measured_pace_ = own_pace_ = pace;
  strength_now_.reset();
  if (own_strength_ == 0) return;
  constexpr double most = std::numeric_limits<std::uint16_t>::max();
  const auto ratio = own_strength_ / static_of(self_).strength();
  own_pace_ = static_cast<std::uint16_t>(std::clamp(std::round(pace * ratio), 1.0, most));
}

void Tables::set_own_strength(double strength) noexcept {
  own_strength_ = strength;
  set_own_pace(measured_pace_);
}

void Tables::take_in(int pe, const PeStatic& facts) {
  if (!lost(pe)) return;
  roster_ = roster_->with(pe, facts);
  strength_now_.reset();
}

void Tables::forget(int pe) {
  if (pe == self_ || lost(pe)) return;
  roster_ = roster_->without(pe);
  strength_now_.reset();
  loads_.remove(key_of(pe));
  latencies_.remove(key_of(pe));
  if (nearest_ == pe) {
    nearest_ = -1;
    lowest_ = never;
  }
  for (auto& hot : hot_) hot.remove(pe);
}

inline std::size_t Tables::Hot::place_of(int pe) const noexcept {
  std::size_t at = 0;
  while (at < count && pes[at] != pe) ++at;
  return at;
}

// Of too many, the one that nothing was heard of for longest goes.
void Tables::Hot::note(int pe, const Load& load) noexcept {
  auto at = count;
  if (count < max_hot) {
    ++count;
  } else {
    const auto oldest =
        std::min_element(loads.begin(), loads.end(),
                         [](const auto& a, const auto& b) { return a.measured < b.measured; });
    if (oldest->measured >= load.measured) return;
    at = static_cast<std::size_t>(oldest - loads.begin());
  }
  pes[at] = pe;
  loads[at] = load;
}

void Tables::Hot::remove(int pe) noexcept {
  const auto at = place_of(pe);
  if (at == count) return;
  --count;
  std::move(pes.begin() + at + 1, pes.begin() + count + 1, pes.begin() + at);
  std::move(loads.begin() + at + 1, loads.begin() + count + 1, loads.begin() + at);
}

// Whoever is there stays, without news too.
[[gnu::always_inline]] inline void Tables::note_hot(int pe, const Load& load, bool news) {
  auto& hot = hot_[is_far(pe) ? 1 : 0];
  if (const auto at = hot.place_of(pe); at == hot.count) {
    if (news) hot.note(pe, load);
  } else if (hot.loads[at].measured < load.measured) {
    hot.loads[at] = load;
  }
}

void Tables::write_piggyback(Writer& out, Nanos now, const Load& own, int to) {
  latest_ = std::max(latest_, now);
  out.put(Load{own.sparks, own.runnable, own_pace_, std::max<Nanos>(now, 0)});
  const auto count_at = out.size();
  out.put(std::uint8_t{0});

  std::array<int, max_relayed> told{};
  std::uint8_t count = 0;
  const auto tell = [&](int pe, const Load& load) {
    if (pe == to) return;
    if (std::find(told.begin(), told.begin() + count, pe) != told.begin() + count) return;
    told[count++] = pe;
    out.put(static_cast<std::uint32_t>(pe));
    out.put(load);
  };
  const auto near_hots = hot_[0].count;
  const auto hots = near_hots + hot_[1].count;
  for (std::size_t i = 0; i < std::min(hots, max_relayed / 2); ++i) {
    const auto at = take_turn(next_hot_, hots);
    const auto& hot = at < near_hots ? hot_[0] : hot_[1];
    const auto place = at < near_hots ? at : at - near_hots;
    tell(hot.pes[place], hot.loads[place]);
  }
  const auto known = loads_.entries().size();
  // A row told already has had its turn: skipping it keeps the cost bounded.
  for (std::size_t i = 0; i < std::min(known, max_relayed) && count < max_relayed; ++i) {
    const auto& [pe, load] = loads_.entries()[take_turn(next_known_, known)];
    tell(static_cast<int>(pe), load);
  }
  if (has_clusters()) write_between(out, count, to);
  if (objects_exist()) count |= objects_told;
  out.patch(count_at, count);
}

// What a message has shown that came from there is told there first: who sent it can't see it.
void Tables::write_between(Writer& out, std::uint8_t& count, int to) {
  if (const auto link = is_far(to) ? links_.news_for(cluster_of(to)) : std::nullopt) {
    out.put(*link);
    count |= bandwidth_told;
    return;
  }
  const auto& latencies = between_.entries();
  const auto& links = links_.rows();
  if (latencies.empty() && links.empty()) return;
  const auto at = take_turn(next_between_, latencies.size() + links.size());
  if (at < latencies.size()) {
    out.put(latencies[at].row);
    count |= latency_told;
  } else {
    out.put(links[at - latencies.size()].row);
    count |= bandwidth_told;
  }
}

Tables::Between Tables::get_between(Reader& in, Nanos now) const {
  auto row = in.get<Between>();
  if (row.one >= row.other || row.other >= clusters())
    throw BadBytes("the latency between clusters that do not exist");
  constexpr Nanos a_year = 31'536'000'000'000'000;
  if (row.latency.one_way < 0 || row.latency.one_way > a_year || row.latency.measured < 0)
    throw BadBytes("a latency that can't be");
  row.latency.measured = in_time(row.latency.measured, now);
  between_.fetch_slot(key_of(row.one, row.other));
  return row;
}

Link Tables::get_link(Reader& in, Nanos now) const {
  auto row = in.get<Link>();
  if (row.from == row.to || row.from >= clusters() || row.to >= clusters())
    throw BadBytes("the bandwidth between clusters that do not exist");
  auto& [rate, measured] = row.bandwidth;
  if (rate < 1 || rate > Bandwidth::most || measured < 0)
    throw BadBytes("a bandwidth that can't be");
  measured = in_time(measured, now);
  return row;
}

Load Tables::read_piggyback(Reader& in, int from, Nanos now) {
  if (from < 0 || from >= size()) throw BadBytes("a message from a PE that does not exist");
  constexpr std::size_t few = 64;  // they are in the cache
  const bool many = loads_.entries().size() > few;
  if (many) {
    loads_.fetch_slot(key_of(from));
    latencies_.fetch_slot(key_of(from));
  }
  const auto own = get_load(in, now);
  const auto told = in.get<std::uint8_t>();
  const auto count = told & ~(latency_told | bandwidth_told | objects_told);
  if (count > max_relayed) throw BadBytes("too many loads in a piggyback");
  boost::container::static_vector<std::pair<int, Load>, max_relayed> relayed;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pe = in.get<std::uint32_t>();
    if (pe >= static_cast<std::uint32_t>(size()))
      throw BadBytes("the load of a PE that does not exist");
    relayed.emplace_back(static_cast<int>(pe), get_load(in, now));
    if (many) loads_.fetch_slot(key_of(relayed.back().first));
  }
  std::optional<Between> between;
  if ((told & latency_told) != 0) between = get_between(in, now);
  std::optional<Link> link;
  if ((told & bandwidth_told) != 0) link = get_link(in, now);
  if (many) {
    loads_.fetch_row(key_of(from));
    if (between) between_.fetch_row(key_of(between->one, between->other));
    for (const auto& [pe, load] : relayed) loads_.fetch_row(key_of(pe));
  }
  latest_ = std::max(latest_, now);
  if ((told & objects_told) != 0) note_objects();
  if (between) note_between(*between);
  if (link) links_.note(*link);
  note_load(from, own);
  for (const auto& [pe, load] : relayed) note_load(pe, load);
  return own;
}

}  // namespace trawl::balance
