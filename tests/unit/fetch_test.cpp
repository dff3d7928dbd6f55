// fetch: what is asked for early is there when it is needed.
#include <vector>

#include <gtest/gtest.h>

#include "lang/lazy.hpp"
#include "rts/fabric/pipe.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

constexpr Nanos latency = 1'000'000;

Simulation::Config two_far_pes() {
  Simulation::Config config;
  config.net.pes = 2;
  config.net.latency = latency;
  config.options.packet_size = 1;  // what a spark refers to stays behind
  return config;
}

long answer(long x) {
  return x + 1;
}

struct Seen {
  int pe = 0;
  long value = 0;
  Nanos waited = 0;
};

// Other work to do lasts longer than a message there and back.
Seen need(Lazy<long> other, bool early) {
  if (early) fetch(other);
  Simulation::work(5 * latency);
  const auto begin = Simulation::clock_here();
  const long value = force(other);
  return {Simulation::here(), value, Simulation::clock_here() - begin};
}

Seen need_on_another_pe(Lazy<long> other, bool early,
                        const Simulation::Config& config = two_far_pes()) {
  Seen seen;
  Simulation simulation(config);
  simulation.run([&] {
    const auto spark = par(lazy<need>(other, early));
    while (!spark.evaluated()) Simulation::work(latency);
    seen = force(spark);
  });
  simulation.settle();
  EXPECT_EQ(seen.pe, 1);
  EXPECT_EQ(seen.value, 42);
  return seen;
}

// Its answer may come at once, and would wake the doorman if nobody attended.
TEST(Fetch, IsSentByWhoAttends) {
  const Lazy<long> value(42L);
  int fetches = 0;
  auto config = two_far_pes();
  config.net.lose = [&](int, int, std::span<const std::byte> message) {
    if (message[fabric::Fragmenter::prefix] == static_cast<std::byte>(fabric::Kind::fetch)) {
      ++fetches;
      EXPECT_LE(sizeof(std::uint32_t) + message.size(), fabric::Pipe::line);
      EXPECT_TRUE(sched::worker_here().host().bell().attended());
    }
    return false;
  };
  need_on_another_pe(value, false, config);
  EXPECT_EQ(fetches, 1);
}

TEST(Fetch, WhoeverNeedNotWaitDoesNotAttend) {
  Simulation simulation(two_far_pes());
  simulation.run([] {
    auto& worker = sched::worker_here();
    bool granted = false;
    ASSERT_FALSE(worker.host().bell().attended());
    EXPECT_FALSE(worker.block_on(Lazy<long>(42L).node(), granted));
    EXPECT_FALSE(worker.host().bell().attended());
  });
}

TEST(Fetch, AValueIsThereWhenItIsNeeded) {
  const Lazy<long> value(42L);
  EXPECT_GE(need_on_another_pe(value, false).waited, 2 * latency);
  EXPECT_LT(need_on_another_pe(value, true).waited, latency);
}

TEST(Fetch, AThunkMovesToWhereItIsNeeded) {
  EXPECT_GE(need_on_another_pe(lazy<answer>(41L), false).waited, 2 * latency);
  EXPECT_LT(need_on_another_pe(lazy<answer>(41L), true).waited, latency);
}

TEST(Fetch, WhatIsHereStaysAsItIs) {
  Simulation simulation(two_far_pes());
  simulation.run([] {
    const auto thunk = lazy<answer>(41L);
    EXPECT_EQ(fetch(thunk).node(), thunk.node());
    EXPECT_FALSE(thunk.evaluated());
    EXPECT_EQ(force(fetch(Lazy<long>(7L))), 7);
    EXPECT_FALSE(fetch(Lazy<long>()));
  });
}

}  // namespace
}  // namespace trawl
