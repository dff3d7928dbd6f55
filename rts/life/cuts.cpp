#include "rts/life/cuts.hpp"

#include <utility>

namespace trawl::life {
namespace {

constexpr Nanos patience = 1'000'000'000;

}  // namespace

void Cuts::add(int from, int pe, const std::string& why, Nanos now) {
  count(pairs_.emplace_back(Pair{from, pe, why, now}), 1);
}

void Cuts::count(const Pair& pair, int times) {
  for (const int pe : {pair.from, pair.pe}) {
    const auto at = static_cast<std::size_t>(pe);
    if (counts_.size() <= at) counts_.resize(at + 1);
    counts_[at] += times;
  }
}

void Cuts::gone(int pe) {
  std::erase_if(pairs_, [&](const Pair& pair) {
    const bool goes = pair.from == pe || pair.pe == pe;
    if (goes) count(pair, -1);
    return goes;
  });
}

std::optional<Cuts::Cut> Cuts::next(Nanos now) const {
  std::optional<Cut> worst;
  int most = 0;
  for (const auto& pair : pairs_) {
    if (now < pair.since + patience) continue;
    for (const auto& [pe, other] : {std::pair(pair.pe, pair.from), std::pair(pair.from, pair.pe)}) {
      const int its = counts_[static_cast<std::size_t>(pe)];
      if (its <= most) continue;
      most = its;
      worst = {pe, "PE " + std::to_string(other) + " does not reach it (" + pair.why + ")"};
    }
  }
  return worst;
}

}  // namespace trawl::life
