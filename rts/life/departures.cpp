#include "rts/life/departures.hpp"

#include <algorithm>

namespace trawl::life {

Departures::Departure* Departures::find(int pe) noexcept {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [pe](const auto& each) { return each.pe == pe; });
  return found == all_.end() ? nullptr : &*found;
}

bool Departures::begun(int pe) const noexcept {
  return std::any_of(all_.begin(), all_.end(), [pe](const auto& each) { return each.pe == pe; });
}

void Departures::may_go(int pe, bool hurry, std::uint32_t threads) noexcept {
  auto* departure = find(pe);
  if (departure == nullptr) return;
  departure->may_go = true;
  departure->hurries = hurry;
  departure->threads = threads;
  if (hurry) departure->missing.clear();
}

void Departures::joined(int pe) {
  for (auto& [leaver, missing, may_go, hurries, threads] : all_)
    if (!hurries && std::find(missing.begin(), missing.end(), pe) == missing.end())
      missing.push_back(pe);
}

void Departures::settled(int from, int pe) noexcept {
  if (auto* departure = find(pe)) std::erase(departure->missing, from);
}

void Departures::gone(int pe) noexcept {
  std::erase_if(all_, [pe](const auto& each) { return each.pe == pe; });
  for (auto& departure : all_) std::erase(departure.missing, pe);
}

const Departures::Departure* Departures::next() const noexcept {
  for (const auto& departure : all_)
    if (departure.may_go && departure.missing.empty()) return &departure;
  return nullptr;
}

}  // namespace trawl::life
