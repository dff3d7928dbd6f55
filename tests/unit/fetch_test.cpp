// fetch: what is asked for early is there when it is needed.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/fabric/fragments.hpp"
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

// Its answer may come at once, and would wake the progress thread if nobody polled.
TEST(Fetch, IsSentByWhoPolls) {
  const Lazy<long> value(42L);
  int fetches = 0;
  auto config = two_far_pes();
  config.net.lose = [&](int, int, std::span<const std::byte> message) {
    if (message[fabric::Fragmenter::prefix] == static_cast<std::byte>(fabric::Kind::fetch)) {
      ++fetches;
      EXPECT_LE(sizeof(std::uint32_t) + message.size(), fabric::Pipe::line);
      EXPECT_TRUE(sched::worker_here().workers().events().polled());
    }
    return false;
  };
  need_on_another_pe(value, false, config);
  EXPECT_EQ(fetches, 1);
}

TEST(Fetch, WhoeverNeedNotWaitDoesNotPoll) {
  Simulation simulation(two_far_pes());
  simulation.run([] {
    auto& worker = sched::worker_here();
    bool granted = false;
    ASSERT_FALSE(worker.workers().events().polled());
    EXPECT_FALSE(worker.block_on(Lazy<long>(42L).node(), granted));
    EXPECT_FALSE(worker.workers().events().polled());
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

// ---- long values -------------------------------------------------------------------------------

/// Says when it is being read.
struct Volume {
  static inline bool reading = false;
  std::vector<double> pages;

  template <class Archive>
  void save(Archive& archive) const {
    archive(pages);
  }
  template <class Archive>
  void load(Archive& archive) {
    reading = true;
    archive(pages);
    reading = false;
  }
};

Volume make_volume(long pages) {
  Simulation::work(latency);
  return {std::vector<double>(static_cast<std::size_t>(pages), 0.5)};
}
long ask(std::vector<Lazy<long>> answers) {
  for (const auto& each : answers) {
    fetch(each);
    Simulation::work(1'500);
  }
  long sum = 0;
  for (const auto& each : answers) sum += force(each);
  return sum;
}

/// The main PE gets 16 MB from one PE, while another fetches one small value after the other from
/// it.
class LongValue : public ::testing::TestWithParam<bool> {};

TEST_P(LongValue, WhoReadsItAnswers) {
  int answered = 0;
  Simulation::Config config;
  config.net.pes = 3;
  config.net.latency = latency / 2;  // so that FETCHes are always on their way
  config.net.bytes_per_nano = 16;
  config.net.poll_cost = 500;
  config.net.shared_memory = GetParam();
  config.options.packet_size = 1;  // what a spark refers to stays behind
  config.net.lose = [&](int, int, std::span<const std::byte> message) {
    const auto kind = static_cast<fabric::Kind>(message[fabric::Fragmenter::prefix]);
    answered += Volume::reading && kind == fabric::Kind::resume ? 1 : 0;
    return false;
  };
  Simulation simulation(config);
  simulation.run([] {
    std::vector<Lazy<long>> answers;
    for (long i = 0; i < 3'000; ++i) answers.emplace_back(i);
    const auto asking = par(lazy<ask>(answers));
    const auto volume = par(lazy<make_volume>(2'000'000L));
    while (!asking.evaluated() || !volume.evaluated()) Simulation::work(1'000);
    EXPECT_EQ(force(volume).pages, std::vector<double>(2'000'000, 0.5));
    EXPECT_EQ(force(asking), 3'000L * 2'999 / 2);
  });
  simulation.settle();
  EXPECT_GT(answered, 0);
}

INSTANTIATE_TEST_SUITE_P(Memory, LongValue, ::testing::Bool());

/// Twenty values of 1 MB each are sent at once, over a line that takes 10 ms for each.
TEST(LongValues, NoMoreIsUnderWayThanTheLineTakes) {
  Simulation::Config config;
  config.net.pes = 2;
  config.net.one_at_a_time = true;
  config.net.bytes_per_nano = 0.1;
  Simulation simulation(config);
  std::size_t most = 0;
  simulation.run([&] {
    std::vector<Lazy<Volume>> volumes;
    for (int i = 0; i < 20; ++i) volumes.push_back(par(lazy<make_volume>(125'000L)));
    for (int i = 0; i < 200; ++i) {
      Simulation::work(latency);
      most = std::max(most, simulation.net().unsent(1, 0));
    }
    for (const auto& each : volumes) EXPECT_EQ(force(each).pages.size(), 125'000u);
  });
  EXPECT_GT(most, fabric::Fragmenter::most_unsent / 2);
  EXPECT_LT(most, fabric::Fragmenter::most_unsent + config.net.limit);
}

}  // namespace
}  // namespace trawl
