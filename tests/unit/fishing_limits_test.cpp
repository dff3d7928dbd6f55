// Which FISH a PE sends: what flags bound, what a policy has not, where it holds none.
#include "tests/unit/fishing_desk.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

TEST(Fishing, MaxFishAreUnderWay) {
  for (const unsigned most : {1U, 3U}) {
    Options options;
    options.max_fish = most;
    Desk desk(options);
    EXPECT_EQ(desk.fish(), most);
    EXPECT_EQ(desk.fishing.outstanding(), most);
    desk.next_patience();  // none goes, one comes home
    EXPECT_EQ(desk.fish(), 1U);
  }
}

TEST(Fishing, UnderTheLowWatermarkItFishesThoughItHasSparks) {
  for (const unsigned low : {0U, 1U, 3U}) {
    for (int sparks = 1; sparks < 5; ++sparks) {
      Options options;
      options.policy = "random";  // takes the flag as it is
      options.low_watermark = low;
      Desk desk(options);
      desk.make_spare_sparks(sparks - 1);
      EXPECT_EQ(desk.fish(), static_cast<unsigned>(sparks) < low ? 1U : 0U) << sparks << ' ' << low;
    }
  }
}

TEST(Fishing, AFishWaitsForFishDelayAtFirst) {
  for (const double micros : {20.0, 300.0}) {
    Options options;
    options.fish_delay = micros;
    options.fish_delay_max = 8 * micros;
    const auto delay = static_cast<Nanos>(micros * 1000);
    Desk desk(options);
    for (const int times : {1, 2, 4}) {  // and then twice as long
      const auto wait = desk.next_patience();
      EXPECT_GE(wait, times * delay);
      EXPECT_LE(wait, 2 * times * delay);
    }
    for (int i = 0; i < 10; ++i) {
      const auto wait = desk.next_patience();
      EXPECT_GE(wait, 4 * delay);
      EXPECT_LE(wait, 8 * delay);
    }
    desk.fishing.consider(0);
    desk.fish_is_answered();
    EXPECT_LE(desk.next_patience(), 2 * delay) << "a catch resets it";
  }
}

// One of them holds the FISH of all that are idle.
TEST(Fishing, OfALargeClusterAFishWaitsForLonger) {
  const auto delay = static_cast<Nanos>(Options().fish_delay * 1000);
  for (const auto& [size, times] : {std::pair{64, 1}, {127, 1}, {128, 2}, {640, 10}}) {
    Desk desk({}, 1, size);
    const auto wait = desk.next_patience();
    EXPECT_GE(wait, times * delay) << size;
    EXPECT_LE(wait, 2 * times * delay) << size;
  }
  Options options;
  options.fish_delay = options.fish_delay_max = 3600e6;
  Desk desk(options, 1, 640);
  EXPECT_LE(desk.next_patience(), balance::Fish::longest_patience);
}

TEST(Fishing, WhereThePolicyHoldsNoneAFishGoesHomeAtOnce) {
  for (const auto* policy : {"random", "targeted", "rs", "crs", "cmrs", "acrs"}) {
    Options options;
    options.policy = policy;
    Desk desk(options);
    desk.fish_from(1, 0);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}})) << policy;
    EXPECT_EQ(desk.count(Count::fish_forwarded), 0U) << "that is no journey";
    desk.make_spare_sparks(64);
    desk.serve(1);
    EXPECT_EQ(desk.sent(), Letters()) << "nor does it announce anything";
    EXPECT_FALSE(desk.watching());
    desk.fish_from(1, 2);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}})) << "one";
  }
}

TEST(Fishing, ThenTheThiefWaits) {
  for (const auto* policy : {"random", "targeted", "rs", "crs", "acrs"}) {
    Options options;
    options.policy = policy;
    options.fish_delay = 20;
    Desk desk(options);
    Nanos longest = 0;
    Nanos now = 0;
    for (int i = 0; i < 12; ++i) {
      ASSERT_EQ(desk.fish_at(now), 1U) << policy;
      EXPECT_EQ(desk.fish_comes_home(now), 0) << "it has no patience";
      EXPECT_EQ(desk.fish_at(now + 19'999), 0U);
      const auto again = desk.fishing.again();
      ASSERT_NE(again, never);
      EXPECT_LE(desk.due(), again);
      EXPECT_EQ(desk.fish_at(again - 1), 0U);
      longest = std::max(longest, again - now);
      now = again;
    }
    const bool at_once =
        std::string_view(policy) != "random" && std::string_view(policy) != "targeted";
    EXPECT_EQ(longest <= 20'000, at_once) << policy << ": stealing again at once, or backing off";
  }
}

// A near one's thief is local: for him it is kept.
TEST(Fishing, AFarFishIsNotHeld) {
  Desk desk;
  set_static(desk.tables, 1, {.cluster = 1});
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(2), 1U);
}

TEST(Fishing, TheTimeOfAFarStealIsTold) {
  for (const auto* policy : {"crs", "acrs"}) {
    Options options;
    options.policy = policy;
    Desk desk(options);
    for (int pe = 1; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
    ASSERT_EQ(desk.fish_at(100), 1U);
    EXPECT_EQ(desk.fish_at(200), 0U) << "only one, and nobody is near";
    desk.fish_comes_home(1'100);
    EXPECT_EQ(desk.tables.last_steal(1).took, 1'000);
    EXPECT_EQ(desk.tables.last_steal(1).in_vain, 1U);
    ASSERT_EQ(desk.fish_at(30'000), 1U);
    desk.fish_is_answered(35'000);
    EXPECT_EQ(desk.tables.last_steal(1).took, 5'000);
    EXPECT_EQ(desk.tables.last_steal(1).in_vain, 0U);
  }
}

TEST(Fishing, AFarFishAndANearOneAreUnderWayTogether) {
  Options options;
  options.policy = "crs";
  for (const unsigned most : {0U, 1U}) {
    options.max_fish = most;
    Desk desk(options);
    for (int pe = 15; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
    EXPECT_EQ(desk.fish(), most == 0 ? 2U : 1U) << "--trawl:max-fish bounds both";
  }
}

TEST(Fishing, AFishIsResolvedOnce) {
  Desk desk;
  desk.fish();
  const auto number = desk.number_under_way();
  desk.fish_is_answered();
  EXPECT_THROW(desk.fishing.caught(number, 0), BadBytes);
  EXPECT_EQ(desk.fishing.outstanding(), 0U);
}

TEST(Fishing, AtTheThreadLimitItDoesNotFish) {
  Options options;
  options.thread_limit = 3;
  Desk desk(options);
  desk.reach_thread_limit();
  EXPECT_EQ(desk.fish(), 0U);
}

// It alone fishes far for its cluster.
TEST(Fishing, AtTheThreadLimitItFishesForThoseThatWait) {
  Options options;
  options.thread_limit = 3;
  Desk desk(options);
  for (int pe = 2; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
  desk.reach_thread_limit();
  EXPECT_EQ(desk.fish(), 0U);
  desk.fish_from(1, 0);
  for (int i = 0; i < 10; ++i) desk.fishing.consider(0);
  const auto sent = desk.sent();
  EXPECT_FALSE(sent.empty());
  for (const auto& letter : sent) EXPECT_GT(letter.to, 1) << "none of its own";
}

TEST(Fishing, WorkAvailableIsForPesOfTheCluster) {
  Desk desk;
  set_static(desk.tables, 2, {.cluster = 1});
  EXPECT_THROW(desk.fishing.on_work_available(2, 0), BadBytes);
  EXPECT_EQ(desk.sent(), Letters());
}

TEST(Fishing, SaysForHowManyWorkersItIs) {
  Desk one;
  EXPECT_EQ(one.wants(), 1U);
  Desk three({}, 3);
  EXPECT_EQ(three.wants(), 3U);
}

TEST(Fishing, SaysForHowLongItHasFoundNothing) {
  constexpr Nanos second = 1'000'000'000;
  Desk desk;
  EXPECT_EQ(desk.next_hunger(second), 0);
  desk.fish_comes_home(second);
  EXPECT_EQ(desk.next_hunger(3 * second), 2 * second);
  desk.fish_is_answered(3 * second);
  EXPECT_EQ(desk.next_hunger(4 * second), 0) << "it has found something";
  desk.fish_comes_home(4 * second);
  EXPECT_EQ(desk.next_hunger(10'000 * second), balance::Fish::most_hungry);
}

}  // namespace
}  // namespace trawl
