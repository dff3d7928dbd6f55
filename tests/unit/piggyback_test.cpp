// What rides on messages: bounded gossip, each row in its turn, and hostile bytes.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/balance/policy.hpp"
#include "rts/balance/tables.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/piggybacks.hpp"

namespace trawl::balance {
namespace {

TEST(Piggyback, NobodyIsToldOfHimself) {
  for (const int pes : {2, 3, 8}) {
    Tables tables(0, pes);
    for (int pe = 1; pe < pes; ++pe) tables.note_load(pe, load(9, 1, 100));
    Tables reader(1, pes);
    for (Nanos now = 200; now < 230; ++now) {
      auto told = piggyback(tables, now, load(0, 0, 0), 1);
      Reader in(told);
      in.get<Load>();
      for (auto rows = in.get<std::uint8_t>(); rows > 0; --rows) {
        EXPECT_NE(in.get<std::uint32_t>(), 1U);
        in.get<Load>();
      }
      read(reader, told, 0, now);
    }
    for (int pe = 2; pe < pes; ++pe) EXPECT_TRUE(reader.known(pe));
  }
}

TEST(Piggyback, BoundedOnAnyNumberOfPes) {
  for (const int pes : {1, 2, 8, 4096}) {
    Tables tables(0, pes);
    std::size_t largest = 0;
    for (int pe = 1; pe < pes; ++pe) {
      set_static(tables, pe, {.cluster = static_cast<std::uint32_t>(pe) / 2});
      tables.note_latency(pe, {pe, pe});
      tables.note_load(pe, load(static_cast<unsigned>(pe), 1, pe));
      largest = std::max(largest, piggyback(tables, pe, load(1, 1, 0)).size());
    }
    for (int i = 0; i < 100; ++i) largest = std::max(largest, piggyback(tables, i, {}).size());
    EXPECT_LE(largest, Tables::max_piggyback_bytes);
    if (pes >= 8) {
      EXPECT_EQ(largest, Tables::max_piggyback_bytes);
    }
  }
}

TEST(Piggyback, TellsOwnLoadAndReturnsTheTimeOfSending) {
  Tables writer(2, 5), reader(3, 5);
  const auto own = read(reader, piggyback(writer, 1'000, load(7, 3, 0)), 2, 1'500);
  EXPECT_EQ(own.measured, 1'000);
  EXPECT_EQ(reader.load_of(2).sparks, 7u);
  EXPECT_EQ(reader.load_of(2).runnable, 3u);
  EXPECT_EQ(reader.load_of(2).measured, 1'000);
}

TEST(Piggyback, EveryKnownRowHasItsTurn) {
  constexpr int pes = 100;
  Tables writer(0, pes), reader(1, pes);
  for (int pe = 1; pe < pes; ++pe) {
    writer.note_load(pe, load(pe % 2 == 0 ? 5 : 0, 1, pe));
  }
  for (int i = 0; i < pes / 2 + 1; ++i) read(reader, piggyback(writer, 1'000 + i, {}), 0, 2'000);
  for (int pe = 2; pe < pes; ++pe) EXPECT_TRUE(reader.known(pe)) << pe;
}

/// Of whom a message tells, in order.
std::vector<int> told(const Bytes& bytes) {
  Reader in(bytes);
  in.get<Load>();
  std::vector<int> pes(in.get<std::uint8_t>());
  for (int& pe : pes) {
    pe = static_cast<int>(in.get<std::uint32_t>());
    in.get<Load>();
  }
  return pes;
}

TEST(Piggyback, TwoOfThoseWithSparksAreInEachMessageTheFreshestInTurns) {
  constexpr int pes = 100;
  for (int with_sparks = 1; with_sparks <= 12; ++with_sparks) {
    Tables tables(0, pes);
    for (int pe = 1; pe < pes; ++pe) tables.note_load(pe, load(pe <= with_sparks, 1, pe));
    const int talked_about = std::min(with_sparks, 8);
    std::map<int, int> times;
    for (int i = 0; i < 40; ++i) {
      const auto pes_told = told(piggyback(tables, 1'000, {}));
      ASSERT_GE(pes_told.size(), 2U);
      for (const int at : {0, 1})
        if (at < talked_about) ++times[pes_told[static_cast<std::size_t>(at)]];
    }
    EXPECT_EQ(static_cast<int>(times.size()), talked_about);
    for (int pe = with_sparks - talked_about + 1; pe <= with_sparks; ++pe)
      EXPECT_NEAR(times[pe], std::min(80 / talked_about, 40), 1) << pe;
  }
}

// Sooner than its turn would come: of 99 there are two in each message.
TEST(Piggyback, WhoseSparksAreOldIsNoMoreTalkedAbout) {
  Tables tables(0, 100);
  for (int pe = 20; pe < 100; ++pe) tables.note_load(pe, load(0, 1, pe));
  for (int pe = 1; pe <= 8; ++pe) tables.note_load(pe, load(1, 1, 200 + pe));
  tables.note_load(9, load(1, 1, 50));
  for (int i = 0; i < 8; ++i) {
    const auto pes_told = told(piggyback(tables, 1'000, {}));
    for (const int at : {0, 1}) EXPECT_NE(pes_told[static_cast<std::size_t>(at)], 9);
  }
}

TEST(Piggyback, RunningOutIsUrgentNews) {
  constexpr int pes = 100;
  Tables writer(0, pes), reader(1, pes);
  // So many have sparks that the last is no longer the talk of the grid; in turn it is far off too.
  for (int pe = 1; pe < pes; ++pe) writer.note_load(pe, load(5, 1, pes - pe));
  writer.note_load(pes - 1, load(0, 1, pes));
  for (int i = 0; i < 4; ++i) read(reader, piggyback(writer, 1'000 + i, {}), 0, 2'000);
  EXPECT_TRUE(reader.known(pes - 1));
}

/// Rounds until all 64 PEs, each sending one message a round to a random PE, agree on `done`.
int rounds_until(std::vector<Tables>& grid, Random& random, Nanos& now, unsigned busy_sparks,
                 const std::function<bool(const Tables&)>& done) {
  const int pes = static_cast<int>(grid.size());
  for (int round = 1; round <= 1'000; ++round) {
    for (int from = 0; from < pes; ++from) {
      now += 1'000;
      const int to = (from + pick(random, 1, pes - 1)) % pes;
      const auto bytes = piggyback(grid[static_cast<std::size_t>(from)], now,
                                   load(from == 17 ? busy_sparks : 0, 1, 0));
      read(grid[static_cast<std::size_t>(to)], bytes, from, now);
    }
    if (std::all_of(grid.begin(), grid.end(), done)) return round;
  }
  return 1'000;
}

TEST(Piggyback, GossipReachesEveryone) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Nanos now = 1'000'000;
    std::vector<Tables> grid;
    grid.reserve(64);
    for (int pe = 0; pe < 64; ++pe) grid.emplace_back(pe, 64);
    // Everyone is known to everyone first: the news must overtake what is old.
    for (auto& tables : grid) {
      for (int pe = 0; pe < 64; ++pe) tables.note_load(pe, load(0, 1, 1));
    }
    const int busy = rounds_until(grid, random, now, 9, [](const Tables& tables) {
      return tables.self() == 17 || tables.load_of(17).sparks == 9;
    });
    EXPECT_LE(busy, 20);
    const int idle_again = rounds_until(grid, random, now, 0, [](const Tables& tables) {
      return tables.self() == 17 || tables.load_of(17).sparks == 0;
    });
    EXPECT_LE(idle_again, 20);
    RecordProperty("rounds_seed_" + std::to_string(seed), busy * 1'000 + idle_again);
  }
}

TEST(Piggyback, TimesInTheFutureBecomeNow) {
  constexpr Nanos second = 1'000'000'000;
  for (const Nanos sent : {10 * second, std::numeric_limits<Nanos>::max()}) {
    Tables writer(0, 3), reader(1, 3);
    writer.note_load(2, load(4, 4, sent));
    read(reader, piggyback(writer, sent, {}), 0, 5 * second);
    EXPECT_EQ(reader.load_of(0).measured, 5 * second);
    EXPECT_EQ(reader.load_of(2).measured, 5 * second);
    EXPECT_EQ(reader.load_of(2).sparks, 4u);
  }
  Tables writer(0, 3), reader(1, 3);
  read(reader, piggyback(writer, 5 * second + 1, {}), 0, 5 * second);
  EXPECT_EQ(reader.load_of(0).measured, 5 * second + 1);
}

TEST(Piggyback, HostileBytesTeachNothingOrSomethingValid) {
  constexpr int pes = 10;
  constexpr Nanos now = 1'000'000;
  Tables writer(0, pes);
  for (int pe = 1; pe < pes; ++pe) writer.note_load(pe, load(3, 1, 1'000 + pe));
  const auto good = piggyback(writer, now, load(1, 2, 0));
  const int refused = torment(good, [&](std::span<const std::byte> bytes) {
    Tables reader(1, pes);
    try {
      read(reader, bytes, 0, now);
    } catch (const BadBytes&) {
      for (int pe = 0; pe < pes; ++pe) EXPECT_FALSE(reader.known(pe));
      throw;
    }
    EXPECT_FALSE(reader.known(1));
    for (int pe = 0; pe < pes; ++pe) EXPECT_LE(reader.load_of(pe).measured, now + 1'000'000'000);
    EXPECT_NE(make_policy("trawl")->next(reader, {}, 7).victim, -1);
    EXPECT_LE(piggyback(reader, now, {}).size(), Tables::max_piggyback_bytes);
  });
  EXPECT_GT(refused, 10'000);

  Tables reader(1, pes);
  EXPECT_THROW(read(reader, good, -1, now), BadBytes);
  EXPECT_THROW(read(reader, good, pes, now), BadBytes);
  auto negative = good;
  negative[15] = std::byte{0x80};  // the sign of the sender's own time
  EXPECT_THROW(read(reader, negative, 0, now), BadBytes);
  auto many = good;
  many[16] = std::byte{Tables::max_relayed + 1};
  many.resize(many.size() + 20);
  EXPECT_THROW(read(reader, many, 0, now), BadBytes);
}

}  // namespace
}  // namespace trawl::balance
