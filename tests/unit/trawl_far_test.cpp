// The default policy in several clusters: PE 0 to 3, 4 to 7, 8 to 11, 12 to 15.
#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/far_victims.hpp"
#include "tests/unit/units.hpp"

namespace trawl::balance {
namespace {

Tables clustered(int self) {
  Tables tables(self, 16);
  tables.set_roster(Roster::shared({{.pes = 4}, {.times = 3, .pes = 4, .step = 1}}));
  for (const int pe : tables.far()) {
    tables.note_latency(pe, {100 * ms, 1});
    hear_bandwidth(tables, pe, 100'000, 1);
  }
  tables.note_load(0, load(0, 0, 1));
  return tables;
}

TEST(TrawlFar, NearFishStayNear) {
  auto tables = clustered(6);
  tables.note_load(12, load(90, 1, 2));
  for (const auto& [pe, times] : victims("trawl", tables)) EXPECT_FALSE(tables.is_far(pe)) << pe;
}

TEST(TrawlFar, TheRepresentativeAloneFishesFar) {
  EXPECT_EQ(far_victims(clustered(6), {}), nowhere);
  const auto chosen = far_victims(clustered(4), {});
  EXPECT_EQ(chosen.size(), 12U);
  auto orphaned = clustered(6);
  for (const int pe : {4, 5}) orphaned.forget(pe);
  EXPECT_EQ(far_victims(orphaned, {}).size(), 12U) << "it is the lowest that lives";
}

TEST(TrawlFar, BeforeTheEndAndForThoseThatWait) {
  const auto tables = clustered(4);
  const Situation busy{.hungry = false, .idle = false, .rest = 10'000 * ms};
  EXPECT_EQ(far_victims(tables, busy), nowhere);
  auto soon = busy;
  soon.rest = 299 * ms;
  EXPECT_NE(far_victims(tables, soon), nowhere) << "under 0.3 s";
  auto asked = busy;
  asked.waiting = 1;
  EXPECT_NE(far_victims(tables, asked), nowhere);
  auto quick = clustered(4);
  quick.note_steal(1, 20 * ms, 0, true);
  EXPECT_EQ(far_victims(quick, soon), nowhere) << "two round trips are less";
  soon.rest = 39 * ms;
  EXPECT_NE(far_victims(quick, soon), nowhere);
}

TEST(TrawlFar, AheadOneOtherwiseAsManyAsWait) {
  const auto tables = clustered(4);
  const auto most = [&](Situation pe) {
    std::vector<Cast> far;
    while (true) {
      const int victim = far_victims(tables, pe, far).rbegin()->first;
      if (victim < 0) return far.size();
      EXPECT_TRUE(tables.is_far(victim));
      far.push_back({1, victim, tables.cluster_of(victim), true, 0});
    }
  };
  EXPECT_EQ(most({.hungry = false, .idle = false, .rest = 1}), 1U);
  EXPECT_EQ(most({}), 2U);
  EXPECT_EQ(most({.waiting = 5}), 6U);
  EXPECT_EQ(most({.waiting = 500}), 24U);
  // Four PEs whose threads take so long: the next needs work in 2 s, and it comes in 0.2.
  const Nanos longer = 8'000 * ms;
  EXPECT_EQ(most({.hungry = false, .idle = false, .rest = 1, .between_threads = longer}), 0U);
  EXPECT_EQ(most({.between_threads = longer}), 1U);
  EXPECT_EQ(most({.between_threads = longer, .waiting = 5}), 6U);
  EXPECT_EQ(most({.idle = false, .between_threads = longer, .waiting = 5}), 5U);
}

TEST(TrawlFar, InALargeClusterMoreMayBeOut) {
  Tables tables(1'000, 2'000);
  tables.set_roster(Roster::shared({{.pes = 1'000}, {.times = 1, .pes = 1'000, .step = 1}}));
  tables.note_latency(0, {100 * ms, 1});
  hear_bandwidth(tables, 0, 100'000, 1);
  const auto goes = [&](std::size_t out) {
    const std::vector<Cast> casts(out, {1, 0, 0, true, 0});
    return far_victims(tables, {.waiting = 1'000}, casts) != nowhere;
  };
  EXPECT_TRUE(goes(499));
  EXPECT_FALSE(goes(500));
}

// Far, but not by much: what has come nobody faster gets any more.
TEST(TrawlFar, WhoIsSlowAsksForOne) {
  for (const bool slow : {false, true}) {
    Tables tables(4, 8);
    tables.set_roster(Roster::shared({{.pes = 4}, {.times = 1, .pes = 4, .step = 1}}));
    for (int pe = 0; pe < 8; ++pe)
      set_static(tables, pe,
                 {.speed = (pe < 4) == slow ? 1395.0 : 534.0, .cluster = pe < 4 ? 0U : 1U});
    tables.note_latency(0, {ms, 1});
    hear_bandwidth(tables, 0, 1'000'000'000, 1);
    tables.note_load(5, load(3, 1, 1));
    EXPECT_EQ(far_victims(tables, {}) == nowhere, slow) << "a near one is out";
    const Cast far_cast{1, 0, 0, true, 0};
    const std::vector<Cast> out{far_cast};
    EXPECT_EQ(victims("trawl", tables, {.under_way = out}) == nowhere, slow) << "a far one is";
    EXPECT_NE(victims("trawl", tables, {}), nowhere) << "none is";
  }
}

// Near ones come and go at once: with --trawl:max-fish there would never be room for a far one.
TEST(TrawlFar, BeforeNear) {
  const auto tables = clustered(4);
  for (const auto& [pe, times] : victims("trawl", tables)) EXPECT_TRUE(tables.is_far(pe)) << pe;
}

TEST(TrawlFar, WhereThreeAreOverdueNoOtherFollows) {
  auto tables = clustered(4);
  tables.note_steal(0, 100 * ms, 0, true);
  const Cast overdue{1, 8, 2, true, 0};
  const auto followed = [&](Nanos now, std::size_t those) {
    const std::vector<Cast> casts(those, overdue);
    return goes_to(far_victims(tables, {.now = now, .waiting = 9}, casts), tables, 2);
  };
  EXPECT_TRUE(followed(900 * ms, 3));
  EXPECT_TRUE(followed(1'100 * ms, 2));
  EXPECT_FALSE(followed(1'100 * ms, 3));
  EXPECT_NE(far_victims(tables, {.now = 1'100 * ms}, {3, overdue}), nowhere);
}

// As in acrs: 1, 1/2 and 1/4.
TEST(TrawlFar, TheFasterTheMoreOften) {
  auto tables = clustered(4);
  tables.note_steal(0, 100 * ms, 0, true);
  tables.note_steal(2, 200 * ms, 0, true);
  tables.note_steal(3, 400 * ms, 0, true);
  std::map<unsigned, int> chosen;
  for (const auto& [pe, times] : far_victims(tables, {}))
    if (pe >= 0) chosen[tables.cluster_of(pe)] += times;
  EXPECT_NEAR(chosen[0], 5'714, 200);
  EXPECT_NEAR(chosen[2], 2'857, 200);
  EXPECT_NEAR(chosen[3], 1'429, 150);
}

// One is close by, and has had nothing for long; another is far, and has.
TEST(TrawlFar, WhereWorkComesFromIsNoSlowLink) {
  auto tables = clustered(4);
  for (int i = 0; i < 9; ++i) tables.note_steal(0, 2 * ms, 0, false);
  tables.note_steal(2, 200 * ms, 0, true);
  Situation pe{.now = 100 * ms};
  EXPECT_EQ(times_to(far_victims(tables, pe), tables, 2), 0) << "20 ms, as far as can be told";
  for (int i = 0; i < 200; ++i) tables.note_steal(0, 2 * ms, 0, false);
  EXPECT_GT(times_to(far_victims(tables, pe), tables, 2), 3'000) << "more than 200 ms";
  EXPECT_GT(times_to(far_victims(tables, pe), tables, 0), 0);
  const std::vector<Cast> casts(3, {1, 8, 2, true, 0});
  pe.waiting = 9;
  EXPECT_GT(times_to(far_victims(tables, pe, casts), tables, 2), 0) << "nor are those overdue";
  const Situation soon{.hungry = false, .idle = false, .rest = 299 * ms};
  EXPECT_NE(far_victims(tables, soon), nowhere) << "it is from there that work is fetched ahead";
  tables.note_steal(0, 2 * ms, 0, true);
  EXPECT_EQ(far_victims(tables, soon), nowhere);
}

// The PE that it met was stopped for five seconds; or the link is slow, as the next will tell.
TEST(TrawlFar, OneThatTookVeryLongIsNotBelieved) {
  auto tables = clustered(4);
  tables.note_steal(0, ms, 0, true);
  tables.note_steal(2, ms, 0, true);
  tables.note_steal(2, 5'000 * ms, 5'000 * ms, true);
  EXPECT_GT(times_to(far_victims(tables, {.now = 5'041 * ms}), tables, 2), 0);
  tables.note_steal(2, 5'000 * ms, 10'000 * ms, true);
  EXPECT_EQ(times_to(far_victims(tables, {.now = 29'999 * ms}), tables, 2), 0);
  EXPECT_GT(times_to(far_victims(tables, {.now = 30'001 * ms}), tables, 2), 0);
}

TEST(TrawlFar, InVainTheLessOften) {
  auto tables = clustered(4);
  for (const unsigned cluster : {0U, 2U, 3U}) tables.note_steal(cluster, 100 * ms, 0, true);
  for (int i = 0; i < 3; ++i) tables.note_steal(2, 100 * ms, 0, false);
  const auto chosen = far_victims(tables, {});
  EXPECT_NEAR(times_to(chosen, tables, 0), 4'444, 200);
  EXPECT_NEAR(times_to(chosen, tables, 2), 1'111, 150);
  EXPECT_NEAR(times_to(chosen, tables, 3), 4'444, 200);
}

// Of sixteen draws none may be where work comes from: then the cheapest of them.
TEST(TrawlFar, OfManyClustersThatHaveNothingOneIsAsked) {
  Tables tables(0, 64);
  tables.set_roster(Roster::shared({{.pes = 1}, {.times = 63, .pes = 1, .step = 1}}));
  for (int pe = 1; pe < 64; ++pe)
    for (int times = 0; times < 50; ++times)
      tables.note_steal(tables.cluster_of(pe), 100 * ms, 0, pe == 7);
  const auto chosen = victims("trawl", tables);
  EXPECT_FALSE(chosen.contains(-1));
  EXPECT_GT(chosen.at(7), 1'500);
  EXPECT_GT(chosen.size(), 50U);
}

TEST(TrawlFar, SlowLinksAreLeftAloneAndProbedAgain) {
  auto tables = clustered(4);
  tables.note_steal(0, 100 * ms, 0, true);
  tables.note_steal(2, 2'000 * ms, 0, true);
  const auto goes_there = [&](Nanos now) {
    return goes_to(far_victims(tables, {.now = now}), tables, 2);
  };
  EXPECT_FALSE(goes_there(7'999 * ms));
  EXPECT_TRUE(goes_there(8'000 * ms));
}

TEST(TrawlFar, AFishThatIsStuckInASlowLinkDoesNotCount) {
  auto tables = clustered(4);
  tables.note_steal(0, 100 * ms, 0, true);
  const std::vector<Cast> stuck{{1, 8, 2, true, 0}, {2, 12, 3, true, 0}};
  EXPECT_EQ(far_victims(tables, {.now = 1'000 * ms}, stuck), nowhere);
  EXPECT_NE(far_victims(tables, {.now = 1'001 * ms}, stuck), nowhere);
}

TEST(TrawlFar, InVainItWaits) {
  const auto policy = make_policy("trawl");
  const std::vector<Cast> near{near_cast};
  const auto early = policy->next(clustered(4), {.now = 4, .far_after = 5, .under_way = near}, 1);
  EXPECT_EQ(early.victim, -1);
  EXPECT_EQ(early.again, 5);
}

TEST(TrawlFar, OneSparkAndMoreOfVeryMany) {
  const auto policy = make_policy("trawl");
  const auto tables = clustered(4);
  const Fish fish{.thief = 0}, ahead{.thief = 0, .ahead = true};
  for (const auto& [spare, given] :
       {std::pair{1U, 1U}, {31U, 1U}, {32U, 2U}, {96U, 6U}, {10'000U, 32U}})
    EXPECT_EQ(policy->portion(tables, fish, {spare}), given) << spare;
  EXPECT_EQ(policy->portion(tables, ahead, {1}), 0U) << "its thief still has work";
  EXPECT_EQ(policy->portion(tables, ahead, {2}), 1U);
}

// Measured speeds of hosts that are alike differ by a little.
TEST(TrawlFar, ASlowerThiefGetsAsMuchLess) {
  const auto policy = make_policy("trawl");
  for (const auto& [speed, given] : {std::pair{1.5, 20U}, {0.99, 19U}, {0.5, 10U}, {0.04, 1U}}) {
    Tables tables(0, 8);
    tables.set_roster(Roster::shared({{.pes = 4}, {.pes = 4, .step = 1, .speed = speed}}));
    EXPECT_EQ(policy->portion(tables, {.thief = 4}, {.spare = 320}), given) << speed;
  }
}

// Four clusters of sixteen: the first FISH would have most of a list of long sparks.
TEST(TrawlFar, OfAListThatNobodyHasTriedAPesShareAtMost) {
  const auto policy = make_policy("trawl");
  Tables tables(0, 64);
  tables.set_roster(Roster::shared({{.pes = 16}, {.times = 3, .pes = 16, .step = 1}}));
  const Fish fish{.thief = 16};
  EXPECT_EQ(policy->portion(tables, fish, {.spare = 128}), 8U);
  EXPECT_EQ(policy->portion(tables, fish, {.spare = 128, .untried = true}), 2U);
  EXPECT_EQ(policy->portion(tables, fish, {.spare = 40, .untried = true}), 1U);
  EXPECT_EQ(policy->portion(tables, fish, {.spare = 10'000, .untried = true}), 32U);
}

TEST(TrawlFar, AForwardedFishMakesNoRandomHopsOverFarLinks) {
  const auto policy = make_policy("trawl");
  Random random(4);
  for (int trial = 0; trial < 1'000; ++trial) {
    auto tables = clustered(6);
    if (trial % 2 == 0) tables.note_load(12, load(90, 1, 2));  // known, but in a third cluster
    Fish fish{.thief = pick(random, 0, 1) == 0 ? 1 : 7};
    fish.visit(6);
    const int next = policy->forward(tables, fish, random());
    if (fish.thief == 1)
      EXPECT_EQ(next, 1) << "straight home";
    else
      EXPECT_TRUE(next == 4 || next == 5);
  }
}

TEST(TrawlFar, AFarThiefIsServedHereOrOnTheWayHome) {
  const auto policy = make_policy("trawl");
  auto tables = clustered(6);
  Fish fish{.thief = 1};
  fish.visit(6);
  tables.note_load(2, load(50, 1, 2));
  EXPECT_EQ(policy->forward(tables, fish, 3), 2);
  tables.note_load(5, load(2, 1, 2));
  EXPECT_EQ(policy->forward(tables, fish, 3), 5);
}

// Its way home is the longer one.
TEST(TrawlFar, AFarThiefIsServedByAClusterCloseBy) {
  const auto policy = make_policy("trawl");
  auto tables = clustered(6);
  const auto sent_on = [&](int thief) {
    Fish fish{.thief = thief};
    fish.visit(6);
    return policy->forward(tables, fish, 3);
  };
  tables.note_load(12, load(50, 1, 2));
  EXPECT_EQ(sent_on(1), 1) << "it is as far as the thief";
  tables.note_latency(12, {ms, 2});
  EXPECT_EQ(sent_on(1), 12);
  EXPECT_TRUE(sent_on(7) == 4 || sent_on(7) == 5) << "its near FISH stay near";
  EXPECT_EQ(sent_on(13), 12) << "that is local to the thief";
  tables.note_load(5, load(2, 1, 2));
  EXPECT_EQ(sent_on(1), 5) << "nothing is nearer than here";
}

// There the sparks of other clusters come to.
TEST(TrawlFar, ANearFishEndsAtTheRepresentative) {
  const auto policy = make_policy("trawl");
  Random random(5);
  for (int trial = 0; trial < 1'000; ++trial) {
    Fish fish{.thief = 7};
    int at = 6;
    while (true) {
      fish.visit(at);
      const auto tables = clustered(at);
      const int next = policy->forward(tables, fish, random());
      if (next == fish.thief) break;
      at = next;
    }
    EXPECT_EQ(at, 4);
  }
}

}  // namespace
}  // namespace trawl::balance
