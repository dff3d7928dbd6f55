// What flags that users tune do: packet-size, thunks-per-packet, policy, spark-pool.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

constexpr std::size_t things = 20;

std::uint64_t count_on(Simulation& simulation, int pe, Count what) {
  return simulation.pe(pe).statistics()[static_cast<std::size_t>(what)];
}

// ---- what goes along in a packet

long one(long) {
  return 1;
}

std::string text(long letters) {
  return std::string(static_cast<std::size_t>(letters), 'x');
}

long sum_of(const std::vector<Lazy<long>>& parts) {
  long sum = 0;
  for (const auto& part : parts) sum += force(part);
  return sum;
}

/// So many did not come along.
long missing_of(const std::vector<Lazy<std::string>>& texts) {
  return std::count_if(texts.begin(), texts.end(),
                       [](const auto& each) { return !each.evaluated(); });
}

/// The root makes a thunk, which the other PE takes.
struct Taken {
  std::size_t value;
  std::uint64_t fetched;  ///< things that it refers to, by that PE
};

template <class Root>
Taken taken(const Options& options, Root root) {
  Simulation::Config config;
  config.net.pes = 2;
  config.options = options;
  Simulation simulation(config);
  long value = 0;
  simulation.run([&] {
    const Lazy<long> spark = root();
    while (!spark.evaluated()) Simulation::work(ms);
    value = force(spark);
  });
  simulation.settle();
  return {static_cast<std::size_t>(value), count_on(simulation, 1, Count::fetch_sent)};
}

TEST(Flags, ThunksPerPacketMoveAlong) {
  for (const std::size_t most : {0U, 1U, 7U, 20U, 1024U}) {
    Options options;
    options.thunks_per_packet = most;
    const auto spark = taken(options, [] {
      std::vector<Lazy<long>> parts;
      for (std::size_t i = 0; i < things; ++i) parts.push_back(lazy<one>(static_cast<long>(i)));
      return par(lazy<sum_of>(parts));
    });
    // Who asks for the others in order gets up to four times as many at once.
    const auto rest = things - std::min(things, most);
    EXPECT_LE(spark.fetched, rest) << most;
    EXPECT_GE(spark.fetched * std::max<std::size_t>(4 * most, 1), rest) << most;
  }
}

TEST(Flags, APacketHoldsPacketSizeAndThenReferences) {
  constexpr std::size_t letters = 1000;
  for (const std::size_t size : {0U, 3'500U, 10'500U, 64'000U}) {
    Options options;
    options.packet_size = size;
    const auto spark = taken(options, [] {
      std::vector<Lazy<std::string>> texts;
      for (std::size_t i = 0; i < things; ++i) {
        texts.push_back(lazy<text>(static_cast<long>(letters)));
        force(texts.back());
      }
      return par(lazy<missing_of>(texts));
    });
    // The thunk itself takes some of it, and the last thing begins before the end.
    const auto fit = std::min(things, size / letters);
    EXPECT_LE(spark.value, things - fit + (fit == 0 ? 0 : 1)) << size;
    EXPECT_GE(spark.value + 1, things - fit) << size;
  }
}

// ---- how many sparks there are room for

TEST(Flags, AWorkersPoolHoldsSparkPoolSparks) {
  for (const std::size_t room : {1U, 5U, 64U, 1000U}) {
    Simulation::Config config;
    config.net.pes = 1;
    config.options.spark_pool = room;
    Simulation simulation(config);
    constexpr std::size_t sparks = 500;
    simulation.run([] {
      std::vector<Lazy<long>> all;
      for (std::size_t i = 0; i < sparks; ++i) all.push_back(par(lazy<one>(static_cast<long>(i))));
      for (const auto& each : all) force(each);
    });
    EXPECT_EQ(count_on(simulation, 0, Count::sparks_ignored), sparks - std::min(sparks, room))
        << room;
  }
}

// ---- where FISH go

long busy(long millis) {
  Simulation::work(millis * ms);
  return 1;
}

/// The main PE has all the work. How many FISH went to others, and on, for each that found some.
double hops(const std::string& policy) {
  Simulation::Config config;
  config.net.pes = 12;
  config.options.policy = policy;
  Simulation simulation(config);
  simulation.run([] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 300; ++i) all.push_back(par(lazy<busy>(2L)));
    for (const auto& each : all) force(each);
  });
  double forwarded = 0;
  double caught = 0;
  for (int pe = 0; pe < simulation.size(); ++pe) {
    forwarded += static_cast<double>(count_on(simulation, pe, Count::fish_forwarded));
    caught += static_cast<double>(count_on(simulation, pe, Count::fish_answered));
  }
  return forwarded / caught;
}

TEST(Flags, ThePolicySaysWhereToFish) {
  const double random = hops("random");
  const double targeted = hops("targeted");
  EXPECT_GT(random, 2 * targeted) << "targeted: " << targeted;
}

}  // namespace
}  // namespace trawl
