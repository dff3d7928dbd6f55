#include "rts/balance/tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace trawl::balance {
namespace {

constexpr Nanos unknown = -1;
constexpr Nanos tolerated_skew = 1'000'000'000;

static_assert(sizeof(Load) == 16, "it travels as it is");

Load get_load(Reader& in, Nanos now) {
  auto load = in.get<Load>();
  if (load.measured < 0) throw BadBytes("a load measured at a negative time");
  // A wrong time far ahead would keep all true rows out for ever.
  if (load.measured - tolerated_skew > now) load.measured = std::max<Nanos>(now, 0);
  return load;
}

}  // namespace

Tables::Tables(int self, int pes)
    : self_(self),
      statics_(static_cast<std::size_t>(pes)),
      loads_(static_cast<std::size_t>(pes), Load{.measured = unknown}),
      latencies_(static_cast<std::size_t>(pes), Latency{.measured = unknown}),
      speeds_(pes),
      where_(static_cast<std::size_t>(pes), -1) {
  assert(self >= 0 && self < pes);
  for (int pe = 0; pe < pes; ++pe) {
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
  if (!lost(pe)) speeds_ += facts.speed - row.speed;
  const auto is_foreign = [this](const PeStatic& each) {
    return each.cluster != statics_[index(self_)].cluster;
  };
  if (pe != self_) foreign_ -= is_foreign(row) ? 1 : 0;
  row = facts;
  if (pe != self_) {
    foreign_ += is_foreign(row) ? 1 : 0;
  } else {
    foreign_ = static_cast<int>(std::count_if(statics_.begin(), statics_.end(), is_foreign));
  }
}

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

bool Tables::note_latency(int from, int to, const Latency& latency) {
  if (from != self_ || to == self_ || lost(to)) return false;
  auto& row = latencies_[index(to)];
  if (latency.measured <= row.measured) return false;
  row = {std::max<Nanos>(latency.one_way, 0), latency.measured};
  return true;
}

void Tables::forget(int pe) {
  if (pe == self_ || lost(pe)) return;
  if (known(pe)) move_to(pe, --known_);
  move_to(pe, static_cast<int>(others_.size()) - 1);
  others_.pop_back();
  where_[index(pe)] = -1;
  loads_[index(pe)] = Load{.measured = unknown};
  latencies_[index(pe)] = Latency{.measured = unknown};
  speeds_ -= statics_[index(pe)].speed;
  const auto end = std::remove(hot_.begin(), hot_.begin() + hots_, pe);
  hots_ = static_cast<std::size_t>(end - hot_.begin());
}

void Tables::move_to(int pe, int place) {
  const int from = where_[index(pe)];
  const int other = others_[static_cast<std::size_t>(place)];
  std::swap(others_[static_cast<std::size_t>(from)], others_[static_cast<std::size_t>(place)]);
  where_[index(other)] = from;
  where_[index(pe)] = place;
}

void Tables::note_hot(int pe) {
  const auto end = hot_.begin() + hots_;
  if (std::find(hot_.begin(), end, pe) != end) return;
  if (hots_ < max_hot) {
    hot_[hots_++] = pe;
    return;
  }
  const auto oldest = std::min_element(hot_.begin(), end, [this](int a, int b) {
    return load_of(a).measured < load_of(b).measured;
  });
  if (load_of(*oldest).measured < load_of(pe).measured) *oldest = pe;
}

void Tables::write_piggyback(Writer& out, Nanos now, const Load& own, int to) {
  out.put(Load{own.sparks, own.runnable, std::max<Nanos>(now, 0)});
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
  for (std::size_t i = 0; i < std::min(hots_, max_relayed / 2); ++i)
    tell(hot_[next_hot_++ % hots_]);
  const auto known = static_cast<std::size_t>(known_);
  // A row told already has had its turn: skipping it keeps the cost bounded.
  for (std::size_t i = 0; i < std::min(known, max_relayed) && count < max_relayed; ++i) {
    tell(others_[next_known_++ % known]);
  }
  out.patch(count_at, count);
}

Load Tables::read_piggyback(Reader& in, int from, Nanos now) {
  if (from < 0 || from >= size()) throw BadBytes("a message from a PE that does not exist");
  const auto own = get_load(in, now);
  const auto count = in.get<std::uint8_t>();
  if (count > max_relayed) throw BadBytes("too many loads in a piggyback");
  std::array<std::pair<int, Load>, max_relayed> relayed;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pe = in.get<std::uint32_t>();
    if (pe >= loads_.size()) throw BadBytes("the load of a PE that does not exist");
    relayed[i] = {static_cast<int>(pe), get_load(in, now)};
  }
  note_load(from, own);
  for (std::size_t i = 0; i < count; ++i) note_load(relayed[i].first, relayed[i].second);
  return own;
}

}  // namespace trawl::balance
