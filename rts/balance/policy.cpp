#include "rts/balance/policy.hpp"

#include <algorithm>
#include <string>

namespace trawl::balance {
namespace {

struct Known {
  std::string_view name;
  std::unique_ptr<Policy> (*make)();
};

constexpr Known policies[] = {{"random", make_random}, {"targeted", make_targeted}};

std::int32_t get_pe(Reader& in, const fabric::Envelope& envelope) {
  const auto pe = in.get<std::int32_t>();
  if (!envelope.has(static_cast<std::uint32_t>(pe)))
    throw BadBytes("a fish with a PE that does not exist");
  return pe;
}

}  // namespace

bool Fish::has_visited(int pe) const noexcept {
  const auto pes = visited();
  return std::find(pes.begin(), pes.end(), pe) != pes.end();
}

void Fish::visit(int pe) noexcept {
  if (age < max_age) seen[age++] = pe;
}

void Fish::write(Writer& out) const {
  out.put(std::int32_t{thief});
  out.put(patience);
  out.put(static_cast<std::uint8_t>(age));
  for (const auto pe : visited()) out.put(pe);
}

Fish Fish::read(Reader& in, const fabric::Envelope& envelope) {
  Fish fish;
  fish.thief = get_pe(in, envelope);
  fish.patience = in.get<Nanos>();
  if (fish.patience < 0 || fish.patience > Backoff::longest)
    throw BadBytes("a fish of impossible patience");
  const auto age = in.get<std::uint8_t>();
  if (age > max_age) throw BadBytes("a fish too old");
  while (fish.age < age) fish.visit(get_pe(in, envelope));
  in.end();
  return fish;
}

unsigned Policy::low_watermark(const Tables&, unsigned flag) const {
  return flag;
}

std::unique_ptr<Policy> make_policy(std::string_view name) {
  std::string names;
  for (const auto& policy : policies) {
    if (policy.name == name) return policy.make();
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  }
  throw Error("there is no policy '" + std::string(name) + "': choose one of " + names, 2);
}

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const auto& policy : policies) names.push_back(policy.name);
  return names;
}

std::uint32_t sparks_per_schedule(std::uint32_t spare) noexcept {
  constexpr std::uint32_t many = 32;
  constexpr std::uint32_t most = 8;
  return std::min(1 + spare / many, most);
}

std::uint64_t Dice::bits() noexcept {
  state_ += 0x9e3779b97f4a7c15;
  auto z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int random_unvisited(const Tables& tables, const Fish& fish, Dice& dice) {
  const auto others = tables.others();
  if (others.empty()) return -1;
  const auto fits = [&](int pe) { return pe != fish.thief && !fish.has_visited(pe); };
  // A fish excludes few PEs, so drawing again nearly always ends soon; walking on, always.
  for (int tries = 0; tries < 16; ++tries) {
    const int pe = others[dice.below(others.size())];
    if (fits(pe)) return pe;
  }
  const auto start = dice.below(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const int pe = others[(start + i) % others.size()];
    if (fits(pe)) return pe;
  }
  return -1;
}

Backoff::Backoff(Nanos min, Nanos max) : min_(min), max_(max), base_(min) {
  if (min <= 0 || max < min || max > longest) {
    throw Error("the delays between fish must be above 0, the longest not under the shortest", 2);
  }
}

Nanos Backoff::next(std::uint64_t random) noexcept {
  const auto share = static_cast<Nanos>(random >> 44);  // in [0, 2^20)
  const auto delay = std::min(base_ + ((base_ * share) >> 20), max_);
  // Half the maximum, so that the longest delays differ from each other too.
  base_ = std::min(2 * base_, std::max(max_ / 2, min_));
  return delay;
}

}  // namespace trawl::balance
