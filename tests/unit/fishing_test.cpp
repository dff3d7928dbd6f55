// What a PE does with the FISH of others, and with what it hears of work.
#include "tests/unit/fishing_desk.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

TEST(Fishing, AFishIsKeptUntilThereIsASpareSpark) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(0);
  desk.make_spare_sparks(0);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(1), 1U);
  desk.make_spare_sparks(1);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.fishing.held(1), 0U);
}

TEST(Fishing, AFishGoesHomeWhenItsPatienceEnds) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.serve(patience - 1);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.due(), patience);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  EXPECT_EQ(desk.due(), patience + 10);
}

TEST(Fishing, WhenOneIsFedTheNextIsDueAtItsOwnTime) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.make_spare_sparks(1);
  desk.serve(20);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.due(), patience + 10);
  desk.serve(patience + 9);
  EXPECT_EQ(desk.sent(), Letters());
  desk.serve(patience + 10);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 2}}));
}

TEST(Fishing, WhoseFishWentHomeIsToldOfSparks) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  desk.serve(patience + 1);
  desk.make_spare_sparks(2);
  desk.fish_from(3, patience + 2);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 2}, {Kind::schedule, 3}}));
  desk.make_spare_sparks(3);
  desk.serve(patience + 3);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}})) << "once, and only PE 1";
  desk.serve(2 * patience);
  EXPECT_EQ(desk.sent(), Letters());
}

// At most every 2 ms.
TEST(Fishing, WhenSparksHaveGoneItWatchesForTheNext) {
  constexpr Nanos between_announcements = 2'000'000;
  Desk desk;
  for (const int thief : {1, 2, 3}) desk.fish_from(thief, 0);
  desk.serve(patience);
  EXPECT_TRUE(desk.watching());
  EXPECT_EQ(desk.sent().size(), 3U);
  EXPECT_EQ(desk.due(), never);
  Nanos now = patience;
  for (const int thief : {3, 2, 1}) {
    desk.make_spare_sparks(1);
    EXPECT_FALSE(desk.watching());
    desk.serve(++now);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, thief}}));
    desk.take_sparks();
    desk.serve(now + between_announcements - 1);
    EXPECT_FALSE(desk.watching());
    EXPECT_EQ(desk.due(), thief == 1 ? never : now + between_announcements);
    desk.serve(now += between_announcements);
    EXPECT_EQ(desk.watching(), thief != 1) << "the last one has been told";
  }
  EXPECT_EQ(desk.sent(), Letters());
}

TEST(Fishing, SparksThatCameAndWentAreNotAnnounced) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(patience);
  desk.sent();
  desk.make_spare_sparks(1);
  desk.take_sparks();
  desk.serve(patience + 1);
  EXPECT_FALSE(desk.watching()) << "not for each that comes and goes";
  EXPECT_EQ(desk.due(), patience + 1 + 2'000'000);
  desk.make_spare_sparks(1);
  desk.serve(desk.due());
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}}));
}

TEST(Fishing, SixteenAreRemembered) {
  Desk desk;
  for (int thief = 1; thief <= 20; ++thief) desk.fish_from(thief, 0);
  desk.serve(patience);
  EXPECT_EQ(desk.sent().size(), 20U);
  desk.make_spare_sparks(30);
  desk.serve(patience + 1);
  EXPECT_EQ(desk.sent().size(), 16U);
}

TEST(Fishing, AnInvitationIsTakenEvenWithAFishUnderWay) {
  Desk desk;
  EXPECT_EQ(desk.fish(), 1U);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 2}}));
  desk.fishing.on_work_available(3, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "one more, not two";
  desk.fish_comes_home();
  EXPECT_EQ(desk.fish(), 0U) << "the other is still under way";
  desk.fish_comes_home();
  EXPECT_EQ(desk.fish(), 1U);
  desk.make_spare_sparks(1);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "it is not hungry";
}

TEST(Fishing, WhoIsFullTakesNoInvitation) {
  Desk desk;
  desk.fishing.set_full(true, 0);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), Letters());
  desk.fishing.set_full(false, 0);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 2}}));
}

TEST(Fishing, AnInvitationIsNotTakenOverTheLimit) {
  for (const unsigned most : {1U, 3U}) {
    Options options;
    options.max_fish = most;
    Desk desk(options);
    EXPECT_EQ(desk.fish(), most);
    desk.sent();
    desk.fishing.on_work_available(2, 0);
    EXPECT_EQ(desk.sent(), Letters());
    desk.fish_comes_home();
    desk.fishing.on_work_available(6, 0);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 6}}));
  }
}

TEST(Fishing, AnAnswerToNoFishIsRefused) {
  Desk desk;
  EXPECT_THROW(desk.fishing.caught(1, 0), BadBytes);
  EXPECT_THROW(desk.fish_from(0, 0), BadBytes);
}

TEST(Fishing, OfManySparksSeveralGoAtOnce) {
  Desk desk;
  desk.make_spare_sparks(90);
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), Letters(3, {Kind::schedule, 1}));
  EXPECT_EQ(desk.count(Count::fish_answered), 1U);
  EXPECT_EQ(desk.count(Count::sparks_exported), 3U);
}

TEST(Fishing, AFishThatHasNotBeenEverywhereGoesOn) {
  Desk desk;
  desk.fish_from(1, 0, {2});
  const auto sent = desk.sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].kind, Kind::fish);
  EXPECT_GT(sent[0].to, 2);
  EXPECT_EQ(desk.fishing.held(1), 0U);
  EXPECT_EQ(desk.count(Count::fish_forwarded), 1U);
  desk.serve(0);
  desk.make_spare_sparks(1);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}})) << "it is remembered";
}

TEST(Fishing, WhoeverWasFirstIsFedFirst) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.make_spare_sparks(1);
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.fishing.held(2), 1U);
}

// Its PE's threads would not park any more.
TEST(Fishing, NothingIsDueOnceAllAreFed) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(0);
  desk.make_spare_sparks(2);
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent().size(), 2U);
  desk.serve(1);
  EXPECT_EQ(desk.due(), never);
  constexpr Nanos later = 3'000'000;
  desk.fish_from(1, later);
  desk.serve(later);
  EXPECT_TRUE(desk.watching()) << "as before";
}

// The thread may run for long, and no message notifies of what is due.
TEST(Fishing, WhoeverGoesIntoAThreadTellsTheProgressThreadOfWhatIsDue) {
  Desk desk;
  desk.serve(0);
  EXPECT_FALSE(desk.notifies_progress_thread(never));
  desk.fish_from(1, 0);
  desk.serve(0);
  ASSERT_EQ(desk.due(), patience);
  EXPECT_TRUE(desk.notifies_progress_thread(patience + 1));
  EXPECT_TRUE(desk.notifies_progress_thread(never)) << "it is about to park";
  EXPECT_FALSE(desk.notifies_progress_thread(patience));
}

// A PE that it came to stands still. When that goes on, it answers, or sends it home.
TEST(Fishing, AFishThatIsOverdueIsNotWaitedFor) {
  constexpr Nanos second = 1'000'000'000;
  for (const bool answered : {false, true}) {
    Desk desk;
    ASSERT_EQ(desk.fish_at(0), 1U);
    EXPECT_EQ(desk.fish_at(second), 0U);
    EXPECT_LT(desk.fishing.again(), 2 * second) << "somebody looks then";
    ASSERT_EQ(desk.fish_at(2 * second), 1U);
    EXPECT_EQ(desk.fish_at(2 * second), 0U);
    EXPECT_EQ(desk.fishing.outstanding(), 1U);
    if (answered)
      desk.fish_is_answered(3 * second);
    else
      desk.fish_comes_home(3 * second);
    EXPECT_EQ(desk.fishing.outstanding(), 1U);
    desk.fish_is_answered(3 * second);
    EXPECT_EQ(desk.fishing.outstanding(), 0U);
  }
}

TEST(Fishing, NothingIsSentToALostPe) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.tables.forget(1);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(1), 0U);
}

// It would not be there sooner: on the same slow PEs it was late before.
TEST(Fishing, ACopyOfAStragglerGoesToNobodyWhoIsSlower) {
  Desk desk;
  auto slow = desk.tables.static_of(1);
  slow.speed /= 2;
  balance::set_static(desk.tables, 1, slow);
  desk.import_copy();
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "it is for the worker, who is idle";
  desk.import_copy();
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), Letters());
  desk.fish_from(3, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 3}}));
  desk.fish_from(4, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "it is gone, and is not copied";
}

// Somebody else evaluates it already.
TEST(Fishing, ASparkThatCannotBeExportedHasFizzled) {
  Desk desk;
  desk.import_fizzled(2);
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.count(Count::sparks_fizzled), 1U) << "one is kept for the worker";
}

}  // namespace
}  // namespace trawl
