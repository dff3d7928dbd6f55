#include "rts/balance/roster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "rts/inline/error.hpp"

namespace trawl::balance {
namespace {

void check(int pe, const PeStatic& facts) {
  if (!std::isfinite(facts.speed) || facts.speed <= 0) {
    throw Error("PE " + std::to_string(pe) + " has speed " + std::to_string(facts.speed) +
                ": give it one above 0");
  }
  if (facts.cores < 1) {
    throw Error("PE " + std::to_string(pe) + " has " + std::to_string(facts.cores) +
                " cores: give it at least 1");
  }
}

std::vector<PeStatic> in_full(const std::vector<Alike>& all) {
  std::vector<PeStatic> facts;
  std::uint32_t cluster = 0;
  for (const auto& alike : all)
    for (std::uint32_t i = 0; i < alike.times; ++i) {
      cluster += static_cast<std::uint32_t>(alike.step);
      facts.insert(facts.end(), alike.pes, {alike.speed, alike.cores, cluster, alike.memory});
    }
  return facts;
}

// Those in a row whose speeds and cores differ by no more than a factor become alike.
std::vector<PeStatic> rounded(std::span<const PeStatic> facts, double factor) {
  std::vector<PeStatic> all(facts.begin(), facts.end());
  for (auto first = all.begin(); first != all.end();) {
    auto least = *first;
    auto most = *first;
    double strength = 0;
    double cores = 0;
    auto memory = first->memory;
    auto end = first;
    for (; end != all.end(); ++end) {
      least = {std::min(least.speed, end->speed), std::min(least.cores, end->cores)};
      most = {std::max(most.speed, end->speed), std::max(most.cores, end->cores)};
      if (most.speed > factor * least.speed || most.cores > factor * least.cores) break;
      strength += end->strength();
      cores += end->cores;
      memory = std::min(memory, end->memory);
    }
    const auto count = static_cast<double>(end - first);
    const auto mean = static_cast<int>(std::round(cores / count));
    for (; first != end; ++first) {
      first->cores = mean;
      first->speed = strength / count / mean;
      first->memory = memory;
    }
  }
  return all;
}

}  // namespace

std::vector<Alike> in_short(std::span<const PeStatic> facts) {
  std::vector<Alike> all;
  std::uint32_t cluster = 0;
  for (auto first = facts.begin(); first != facts.end();) {
    const auto next =
        std::find_if(first + 1, facts.end(), [&](const auto& f) { return f != *first; });
    const Alike alike{1,
                      static_cast<std::uint32_t>(next - first),
                      static_cast<std::int32_t>(first->cluster - cluster),
                      first->cores,
                      first->speed,
                      first->memory};
    cluster = first->cluster;
    first = next;
    auto as_before = alike;
    if (!all.empty()) as_before.times = all.back().times;
    if (!all.empty() && all.back() == as_before)
      ++all.back().times;
    else
      all.push_back(alike);
  }
  return all;
}

std::vector<Alike> in_short(std::span<const PeStatic> facts, std::size_t most) {
  auto all = in_short(facts);
  if (all.size() <= most) return all;
  most =
      std::max(most, 2 * in_short(rounded(facts, std::numeric_limits<double>::infinity())).size());
  for (double tolerance = 0.01; all.size() > most; tolerance *= 2)
    all = in_short(rounded(facts, 1 + tolerance));
  return all;
}

std::shared_ptr<const Roster> Roster::shared(std::vector<Alike> all) {
  static std::mutex mutex;
  static std::vector<Alike> known;
  static std::weak_ptr<const Roster> roster;
  const std::lock_guard lock(mutex);
  if (auto there = roster.lock(); there && known == all) return there;
  auto facts = in_full(all);
  const std::vector<bool> living(facts.size(), true);
  const std::shared_ptr<const Roster> made(new Roster(std::move(facts), living));
  roster = made;
  known = std::move(all);
  return made;
}

std::shared_ptr<const Roster> Roster::without(int pe) const {
  std::vector<bool> living(facts_.size());
  for (int each = 0; each < size(); ++each) living[index(each)] = each != pe && !lost(each);
  return std::shared_ptr<const Roster>(new Roster(facts_, living));
}

std::shared_ptr<const Roster> Roster::with(int pe, const PeStatic& facts) const {
  std::vector<bool> living(facts_.size());
  for (int each = 0; each < size(); ++each) living[index(each)] = each == pe || !lost(each);
  auto all = facts_;
  all[index(pe)] = facts;
  return std::shared_ptr<const Roster>(new Roster(std::move(all), living));
}

Roster::Roster(std::vector<PeStatic> facts, const std::vector<bool>& living)
    : facts_(std::move(facts)), place_(facts_.size(), -1) {
  for (int pe = 0; pe < size(); ++pe) {
    const auto& its = facts_[index(pe)];
    check(pe, its);
    if (its.cluster >= clusters()) clusters_.resize(its.cluster + 1);
    if (!living[index(pe)]) continue;
    auto& cluster = clusters_[its.cluster];
    if (cluster.count++ == 0) ++inhabited_;
    cluster.strength += its.strength();
    strength_ += its.strength();
    ++living_;
  }
  for (std::size_t i = 1; i < clusters_.size(); ++i)
    clusters_[i].first = clusters_[i - 1].first + clusters_[i - 1].count;
  order_.resize(2 * living_);
  std::vector<std::size_t> next;
  for (const auto& cluster : clusters_) next.push_back(cluster.first);
  for (int pe = 0; pe < size(); ++pe) {
    if (!living[index(pe)]) continue;
    const auto place = next[facts_[index(pe)].cluster]++;
    place_[index(pe)] = static_cast<int>(place);
    order_[place] = order_[place + living_] = pe;
  }
}

}  // namespace trawl::balance
