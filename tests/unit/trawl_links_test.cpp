// The default policy, by what links carry: thin ones, unknown ones, and those over which work
// comes.
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/far_victims.hpp"
#include "tests/unit/units.hpp"

namespace trawl::balance {
namespace {

/// Four clusters of four, PE 4 is of the second; how many bytes a second are between it and others.
Tables linked(std::int64_t to_first, std::int64_t to_third, std::int64_t to_fourth) {
  Tables tables(4, 16);
  tables.set_roster(Roster::shared({{.pes = 4}, {.times = 3, .pes = 4, .step = 1}}));
  for (const auto& [pe, bytes] : {std::pair{0, to_first}, {8, to_third}, {12, to_fourth}}) {
    tables.note_latency(pe, {100 * ms, 1});
    if (bytes != 0) hear_bandwidth(tables, pe, bytes, 1);
  }
  return tables;
}

/// It has last heard of others at `now`.
Situation at(Tables& tables, Nanos now) {
  Writer out;
  tables.write_piggyback(out, now, {}, 0);
  return {.now = now, .waiting = 9};
}

// A first spark may have a result of 64 KB: 262 s for four of them.
TEST(TrawlLinks, AThinOneIsLeftAloneWhileThereIsABetter) {
  auto tables = linked(1'000, 100'000, 100'000);
  const auto first = [&](Nanos seconds) {
    return goes_to(far_victims(tables, at(tables, seconds * 1'000 * ms)), tables, 0);
  };
  EXPECT_FALSE(first(0));
  EXPECT_FALSE(first(262));
  EXPECT_TRUE(first(263)) << "it may have become better";
  tables = linked(11'000, 100'000, 100'000);
  EXPECT_TRUE(first(0));
}

TEST(TrawlLinks, AThinOneWillDoForShortResults) {
  auto tables = linked(1'000, 100'000, 100'000);
  const auto first = [&] {
    return goes_to(far_victims(tables, at(tables, 1'000 * ms)), tables, 0);
  };
  tables.note_result(1'000);
  EXPECT_TRUE(first());
  tables.note_result(2'000);
  EXPECT_FALSE(first());
}

TEST(TrawlLinks, WhereAllAreThinAsMuchAsTheyCarryHome) {
  auto tables = linked(1'000, 1'000, 1'000);
  const auto first = [&](Nanos now) {
    return goes_to(far_victims(tables, at(tables, now)), tables, 0);
  };
  EXPECT_FALSE(first(1)) << "there the first sparks are the largest";
  EXPECT_TRUE(first(801 * ms));
  tables.note_steal(0, 300 * ms, 1'000 * ms, true);
  tables.note_result(2'000);
  EXPECT_FALSE(first(4'999 * ms));
  EXPECT_TRUE(first(5'000 * ms));
  const std::vector<Cast> cast{{1, 2, 0, true, 5'000 * ms}};
  EXPECT_FALSE(goes_to(far_victims(tables, at(tables, 5'000 * ms), cast), tables, 0));
}

TEST(TrawlLinks, AnUnknownOneIsTriedByOneFish) {
  auto tables = linked(0, 100'000, 100'000);
  const std::vector<Cast> casts{{1, 2, 0, true, 0}, {2, 8, 2, true, 0}};
  const auto chosen = far_victims(tables, at(tables, 1), casts);
  EXPECT_FALSE(goes_to(chosen, tables, 0));
  EXPECT_TRUE(goes_to(chosen, tables, 2));
  EXPECT_TRUE(goes_to(far_victims(tables, at(tables, 1)), tables, 0));
}

TEST(TrawlLinks, AnUnknownOneWillDoForWhatIsShort) {
  const std::vector<Cast> cast{{1, 2, 0, true, 0}};
  const auto another_goes = [&](std::size_t spark, std::size_t result) {
    auto tables = linked(0, 0, 0);
    if (spark != 0) tables.note_spark(spark);
    if (result != 0) tables.note_result(result);
    return goes_to(far_victims(tables, at(tables, 1), cast), tables, 0);
  };
  EXPECT_TRUE(another_goes(200, 100));
  EXPECT_FALSE(another_goes(200, 0)) << "results may be long";
  EXPECT_FALSE(another_goes(0, 100));
  EXPECT_FALSE(another_goes(200, 500));
  EXPECT_FALSE(another_goes(2'000, 100));
}

TEST(TrawlLinks, AnUnknownOneIsTriedLessOftenThanAGood) {
  auto tables = linked(0, 100'000, 100'000);
  tables.note_load(0, load(0, 0, 1));
  EXPECT_NEAR(times_to(far_victims(tables, at(tables, 1)), tables, 0), 10'000 / 17, 150);
}

/// The FISH to clusters before which a GAUGE goes, and all.
std::pair<int, int> gauged(const Tables& tables, const Situation& pe) {
  const auto policy = make_policy("trawl");
  std::pair<int, int> fish;
  for (std::uint64_t random = 0; random < 500; ++random) {
    const auto decision = policy->next(tables, pe, mixed(random));
    if (decision.victim < 0 || !tables.is_far(decision.victim)) continue;
    fish.first += decision.gauges ? 1 : 0;
    ++fish.second;
  }
  return fish;
}

TEST(TrawlLinks, AnUnknownOneIsMeasuredFirst) {
  auto unknown = linked(0, 0, 0);
  const auto [measured, all] = gauged(unknown, at(unknown, 1));
  EXPECT_GT(all, 100);
  EXPECT_EQ(measured, all);
  unknown.note_spark(200);
  unknown.note_result(100);
  EXPECT_EQ(gauged(unknown, at(unknown, 1)).first, 0) << "it will do for what is short";
  auto known = linked(100'000, 9'000, 100'000);
  EXPECT_EQ(gauged(known, at(known, 1)).first, 0);
  auto thin = linked(1'000, 100'000, 100'000);
  EXPECT_EQ(gauged(thin, at(thin, 1)).first, 0) << "nothing goes there";
  EXPECT_GT(gauged(thin, at(thin, 263'000 * ms)).first, 10) << "it may have become better";
}

// Its FISH comes before it knows.
TEST(TrawlLinks, WhoseResultsComeHomeLateGetsNothingWhileThereIsABetterLink) {
  const auto policy = make_policy("trawl");
  const Fish fish{.thief = 1};
  auto tables = linked(1'000, 100'000, 100'000);
  tables.note_load(5, load(3, 1, 1));
  EXPECT_EQ(policy->portion(tables, fish, {.spare = 100}), 0U);
  EXPECT_EQ(policy->forward(tables, fish, 7), 1) << "nor from another PE here";
  EXPECT_GT(policy->portion(tables, {.thief = 9}, {.spare = 100}), 0U);
  tables.note_result(500);
  EXPECT_GT(policy->portion(tables, fish, {.spare = 100}), 0U) << "short ones do";
  EXPECT_EQ(policy->forward(tables, fish, 7), 5);
  EXPECT_GT(policy->portion(linked(1'000, 1'000, 1'000), fish, {.spare = 100}), 0U);
}

TEST(TrawlLinks, WhereWorkComesFromIsAskedMoreOften) {
  auto tables = linked(100'000, 100'000, 100'000);
  tables.note_load(0, load(0, 0, 1));
  tables.note_steal(0, 200 * ms, 1, true);
  EXPECT_NEAR(times_to(far_victims(tables, at(tables, 1)), tables, 2), 10'000 / 10, 200);
  tables.note_steal(2, 200 * ms, 1, true);
  EXPECT_NEAR(times_to(far_victims(tables, at(tables, 1)), tables, 2), 10'000 * 8 / 17, 200);
}

}  // namespace
}  // namespace trawl::balance
