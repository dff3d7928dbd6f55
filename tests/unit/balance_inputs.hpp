// For tests of tables and policies: random choices, loads, and bytes nobody should have sent.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rts/balance/policy.hpp"

namespace trawl::balance {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

inline Load load(unsigned sparks, unsigned runnable, Nanos measured) {
  return {.sparks = sparks, .runnable = static_cast<std::uint16_t>(runnable), .measured = measured};
}

/// It hears what the link from this PE's cluster to its own carries.
inline void hear_bandwidth(Tables& tables, int pe, std::int64_t bytes_a_second, Nanos measured) {
  constexpr std::uint8_t one_bandwidth = 0x40;
  Writer message;
  message.put(Load{});
  message.put(one_bandwidth);
  message.put(Link{tables.cluster_of(pe), tables.own_cluster(), {bytes_a_second, measured}});
  Reader in(message.view());
  tables.read_piggyback(in, tables.self(), measured);
}

/// One PE's facts are others than it was told.
inline void set_static(Tables& tables, int pe, const PeStatic& facts) {
  std::vector<PeStatic> all;
  for (int each = 0; each < tables.size(); ++each)
    all.push_back(each == pe ? facts : tables.static_of(each));
  tables.set_roster(Roster::shared(in_short(all)));
}

/// How often each PE is chosen as the victim in 10,000 decisions; -1: nobody.
inline std::map<int, int> victims(std::string_view policy, const Tables& tables,
                                  const Situation& pe = {}) {
  Random random(11);
  const auto chooser = make_policy(policy);
  std::map<int, int> chosen;
  for (int i = 0; i < 10'000; ++i) ++chosen[chooser->next(tables, pe, random()).victim];
  return chosen;
}

/// Calls `parse` with every truncation, every bit flip and many random strings; each must be taken
/// or refused with BadBytes. Returns how many were refused.
inline int torment(const Bytes& good,
                   const std::function<void(std::span<const std::byte>)>& parse) {
  int refused = 0;
  // Each input has a heap block of its exact size, so that a sanitizer sees reads past its end.
  const auto attempt = [&](const Bytes& input) {
    try {
      parse(input);
    } catch (const BadBytes&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < good.size(); ++size) {
    const int before = refused;
    attempt(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(refused, before + 1) << "truncated to " << size;
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= std::byte(1 << (bit % 8));
    attempt(bad);
  }
  Random random(99);
  for (int i = 0; i < 20'000; ++i) {
    Bytes noise(static_cast<std::size_t>(pick(random, 0, 120)));
    const int largest = i % 2 == 0 ? 255 : 5;  // small values pass more of the checks
    for (auto& byte : noise) byte = std::byte(pick(random, 0, largest));
    attempt(noise);
  }
  return refused;
}

}  // namespace trawl::balance
