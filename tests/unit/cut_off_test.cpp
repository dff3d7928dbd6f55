// Two PEs don't reach each other, and the main PE reaches both: one of them is given up.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/fabric/message.hpp"
#include "rts/life/cuts.hpp"
#include "rts/life/messages.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

constexpr Nanos patience = 1'000'000'000;

TEST(Cuts, GiveUpWhoHasMost) {
  life::Cuts cuts;
  cuts.add(3, 1, "no route", 10);  // 1 reaches nobody
  cuts.add(1, 2, "refused", 20);
  cuts.add(4, 1, "no route", 30);
  EXPECT_FALSE(cuts.next(9 + patience));
  const auto cut = cuts.next(10 + patience);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->pe, 1);
  EXPECT_EQ(cut->why, "PE 3 does not reach it (no route)");
  cuts.gone(1);
  EXPECT_FALSE(cuts.next(100 * patience));
}

TEST(Cuts, GiveUpTheOneThatIsNotReached) {
  life::Cuts cuts;
  cuts.add(3, 1, "no route", 0);
  EXPECT_EQ(cuts.next(patience)->pe, 1);
}

// 8 is dying, which the main PE does not know yet.
TEST(Cuts, WaitForEachPairThatItsEndMayBeSeen) {
  life::Cuts cuts;
  cuts.add(3, 5, "no route", 0);
  cuts.add(8, 7, "its process, or the connection to it, has ended", patience - 1);
  EXPECT_EQ(cuts.next(patience)->pe, 5);
  cuts.gone(5);
  EXPECT_FALSE(cuts.next(2 * patience - 2));
  cuts.gone(8);
  EXPECT_FALSE(cuts.next(100 * patience));
}

TEST(Cuts, AreForgottenWithWhoDies) {
  life::Cuts cuts;
  cuts.add(3, 1, "its process, or the connection to it, has ended", 0);
  cuts.gone(1);
  EXPECT_FALSE(cuts.next(100 * patience));
}

// Two sites that don't reach each other.
TEST(Cuts, ManyAreGoneThroughQuickly) {
  constexpr int each = 100;
  life::Cuts cuts;
  for (int here = 1; here <= each; ++here)
    for (int there = 1; there <= each; ++there) {
      cuts.add(here, each + there, "no route", 0);
      cuts.add(each + there, here, "no route", 0);
    }
  int given_up = 0;
  while (const auto cut = cuts.next(patience)) {
    cuts.gone(cut->pe);
    ++given_up;
  }
  EXPECT_EQ(given_up, each);
}

long fib_slowly(long n) {
  if (n < 2) {
    Simulation::work(10'000'000);
    return n;
  }
  auto one = spawn<fib_slowly>(n - 1);
  const long other = fib_slowly(n - 2);
  return one.sync() + other;
}

TEST(CutOff, OneOfThemIsGivenUpAndTheRunGoesOn) {
  Simulation::Config config;
  config.net.pes = 4;
  Simulation simulation(config);
  simulation.run([&] {
    for (const int from : {1, 3})
      fabric::send(simulation.pe(from).outbox(), 0, life::CutOff{2, "no route"});
    EXPECT_EQ(fib_slowly(16), 987);  // 16 s of work
  });
  EXPECT_TRUE(simulation.has_ended(2));
  for (const int pe : {0, 1, 3}) EXPECT_FALSE(simulation.has_ended(pe));
  EXPECT_TRUE(simulation.pe(0).life().is_gone(2));
  simulation.settle();
  EXPECT_EQ(simulation.finish(0).code, 0);
}

TEST(CutOff, AllThatFallSilentTogetherAreGivenUpTogether) {
  constexpr Nanos second = 1'000'000'000;
  Simulation::Config config;
  config.net.pes = 8;
  config.options.silence = 4;
  Simulation* running = nullptr;
  const auto is_silent = [&](int pe) {
    return pe > 1 && running != nullptr && running->now() > second;
  };
  config.net.lose = [&](int from, int to, std::span<const std::byte>) {
    return is_silent(from) || is_silent(to);
  };
  Simulation simulation(config);
  running = &simulation;
  std::vector<std::size_t> views;  // each tenth of a second
  simulation.run([&] {
    for (int i = 0; i < 80; ++i) {
      Simulation::work(second / 10);
      views.push_back(simulation.pe(1).life().view());
    }
  });
  EXPECT_EQ(views.back(), 6U);
  for (const auto known : views) EXPECT_TRUE(known == 0 || known == 6) << known;
}

}  // namespace
}  // namespace trawl
