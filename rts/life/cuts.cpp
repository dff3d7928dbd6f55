#include "rts/life/cuts.hpp"

#include <cstddef>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace trawl::life {
namespace {

constexpr Nanos patience = 1'000'000'000;

}  // namespace

void Cuts::add(int from, int pe, const std::string& why, Nanos now) {
  pairs_.push_back({from, pe, why, now});
}

void Cuts::gone(int pe) noexcept {
  std::erase_if(pairs_, [pe](const Pair& pair) { return pair.from == pe || pair.pe == pe; });
}

std::optional<Cuts::Cut> Cuts::next(Nanos now) const {
  boost::unordered_flat_map<int, std::size_t> counts;  // by PE
  for (const auto& pair : pairs_) {
    ++counts[pair.from];
    ++counts[pair.pe];
  }
  std::optional<Cut> worst;
  std::size_t most = 0;
  for (const auto& pair : pairs_) {
    if (now < pair.since + patience) continue;
    for (const auto& [pe, other] : {std::pair(pair.pe, pair.from), std::pair(pair.from, pair.pe)}) {
      if (counts[pe] <= most) continue;
      most = counts[pe];
      worst = {pe, "PE " + std::to_string(other) + " does not reach it (" + pair.why + ")"};
    }
  }
  return worst;
}

}  // namespace trawl::life
