#include "profiles/fishing.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

/// A FISH was sent: what has its victim?
struct Question {
  Nanos time;
  std::uint32_t believed;
};
using Questions = std::unordered_map<int, std::vector<Question>>;  // by victim

/// Follows the FISH of one PE, and those of others that it passed on.
class Thief {
 public:
  Thief(Fishing& fishing, Questions& questions, int pe, Nanos from, Nanos to)
      : fishing_(fishing), questions_(questions), pe_(pe), from_(from), to_(to) {}

  void see(const Event& event) {
    switch (event.kind) {
      case Kind::fish_sent:
        if (is_shown(event) && is_pe(event.value)) send(event);
        break;
      case Kind::spark_import:
        if (event.extra != 0 && is_pe(event.value) && resolve(event, false))
          ++at(pe_, static_cast<int>(event.value)).found;
        break;
      case Kind::fish_home:
        resolve(event, true);
        break;
      case Kind::fish_forward:
        if (is_shown(event) && is_pe(event.id)) ++at(static_cast<int>(event.id), pe_).forwarded;
        break;
      default:
        break;
    }
  }

 private:
  bool is_shown(const Event& event) const { return event.time >= from_ && event.time <= to_; }
  bool is_pe(std::uint32_t number) const {
    return number < static_cast<std::uint32_t>(fishing_.pes);
  }
  Fishes& at(int thief, int victim) { return fishing_.by_pe[{thief, victim}]; }

  void send(const Event& event) {
    const auto victim = static_cast<int>(event.value);
    ++at(pe_, victim).asked;
    questions_[victim].push_back({event.time, event.id});
    under_way_[event.extra] = {victim, event.time};
  }

  bool resolve(const Event& event, bool in_vain) {
    const auto found = under_way_.find(event.extra);
    if (found == under_way_.end()) return false;
    const auto [victim, sent] = found->second;
    under_way_.erase(found);
    auto& fishes = at(pe_, victim);
    fishes.in_vain += in_vain ? 1 : 0;
    ++fishes.back;
    fishes.waited += static_cast<double>(event.time - sent);
    return true;
  }

  Fishing& fishing_;
  Questions& questions_;
  int pe_;
  Nanos from_, to_;
  std::unordered_map<std::uint16_t, std::pair<int, Nanos>>
      under_way_;  // victim and time, by number
};

/// What a victim really had when it was asked.
void answer(const LogFile& log, std::vector<Question>& questions, Nanos from, Nanos to,
            Fishing& fishing) {
  std::sort(questions.begin(), questions.end(),
            [](const auto& a, const auto& b) { return a.time < b.time; });
  auto next = questions.begin();
  std::uint32_t sparks = 0;
  bool known = false;
  const auto until = [&](Nanos time) {
    for (; next != questions.end() && next->time < time; ++next) {
      if (!known) continue;
      const auto share =
          static_cast<double>(next->time - from) / static_cast<double>(to - from + 1);
      fishing.beliefs.add(next->believed, sparks);
      fishing.over_time[static_cast<std::size_t>(share * Fishing::parts)].add(next->believed,
                                                                              sparks);
    }
  };
  replay(
      log,
      [&](const Event& event) {
        if (event.kind != Kind::load) return;
        until(event.time);
        sparks = event.value;
        known = true;
      },
      nullptr);
  until(log.last);
}

/// Each PE's group.
std::vector<std::size_t> groups_of(const Run& run, int pes, int most, FishMatrix& matrix) {
  std::vector<std::size_t> group(static_cast<std::size_t>(pes));
  if (pes > most) {
    std::map<std::string, std::size_t> clusters;
    std::vector<std::string> names;
    for (const auto& log : run.logs) {
      const auto [found, is_new] = clusters.try_emplace(log.header.cluster, names.size());
      if (is_new) names.push_back(log.header.cluster);
      if (log.header.pe < pes) group[static_cast<std::size_t>(log.header.pe)] = found->second;
    }
    if (names.size() > 1 && names.size() <= static_cast<std::size_t>(most)) {
      matrix.names = std::move(names);
      return group;
    }
  }
  const int step = (pes + most - 1) / most;
  for (int pe = 0; pe < pes; ++pe) {
    if (pe % step == 0) matrix.names.push_back(std::to_string(pe) + (step == 1 ? "" : " .."));
    group[static_cast<std::size_t>(pe)] = matrix.names.size() - 1;
  }
  return group;
}

}  // namespace

void Beliefs::add(std::uint32_t thought, std::uint32_t there) {
  ++some[thought != 0 ? 1 : 0][there != 0 ? 1 : 0];
  believed += thought;
  had += there;
  error += std::abs(static_cast<double>(thought) - there);
}

Fishes& Fishes::operator+=(const Fishes& other) {
  asked += other.asked;
  found += other.found;
  forwarded += other.forwarded;
  in_vain += other.in_vain;
  back += other.back;
  waited += other.waited;
  return *this;
}

Fishing measure_fishing(const Run& run, Nanos from, Nanos to) {
  Fishing fishing;
  fishing.over_time.resize(Fishing::parts);
  for (const auto& log : run.logs) fishing.pes = std::max(fishing.pes, log.header.pes);
  Questions questions;
  for (const auto& log : run.logs) {
    Thief thief(fishing, questions, log.header.pe, from, to);
    replay(
        log, [&thief](const Event& event) { thief.see(event); }, nullptr);
  }
  for (const auto& log : run.logs)
    if (const auto asked = questions.find(log.header.pe); asked != questions.end())
      answer(log, asked->second, from, to, fishing);
  return fishing;
}

FishMatrix matrix(const Fishing& fishing, const Run& run, int most) {
  FishMatrix matrix;
  const auto group = groups_of(run, fishing.pes, most, matrix);
  matrix.cells.resize(matrix.names.size() * matrix.names.size());
  for (const auto& [pes, fishes] : fishing.by_pe) {
    const auto thief = group[static_cast<std::size_t>(pes.first)];
    const auto victim = group[static_cast<std::size_t>(pes.second)];
    matrix.cells[thief * matrix.names.size() + victim] += fishes;
  }
  return matrix;
}

}  // namespace trawl::profile
