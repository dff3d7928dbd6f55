// What idle threads of a PE do, without any: times are made up.
#include "rts/progress/idle_policy.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/units.hpp"

namespace trawl::progress {
namespace {

using Next = WorkerPolicy::Next;

Situation quiet(Nanos now = 0) {
  Situation situation;
  situation.now = now;
  return situation;
}

// ---- how long a PE may sleep

TEST(IdlePolicy, ParksAreLongWhereMessagesNotify) {
  EXPECT_EQ(longest_park(quiet()), 6 * ms);
  auto far = quiet();
  far.all_notify = false;
  EXPECT_EQ(longest_park(far), 600 * us);
}

TEST(IdlePolicy, ParksAreShortWithSomethingUndone) {
  for (const Undone undone : {Undone{.waiting = true}, Undone{.under_way = true}}) {
    auto situation = quiet();
    situation.undone = undone;
    EXPECT_EQ(longest_park(situation), 50 * us);
    situation.polled = true;
    EXPECT_EQ(longest_park(situation), 6 * ms) << "who polls sees to it";
    situation.all_notify = false;
    EXPECT_EQ(longest_park(situation), 50 * us) << "he may end polling, and nobody notifies then";
  }
}

TEST(IdlePolicy, WhatIsUndoneIsLeftToTheProgressThreadIfItWakesTooLate) {
  EXPECT_FALSE(Undone{}.needs_poll_before(never));
  EXPECT_TRUE(Undone{.waiting = true}.needs_poll_before(0));
  EXPECT_TRUE(Undone{.under_way = true}.needs_poll_before(0));
  EXPECT_TRUE(Undone{.due = 5}.needs_poll_before(6));
  EXPECT_FALSE(Undone{.due = 5}.needs_poll_before(5));
}

// ---- workers

TEST(IdlePolicy, AWorkerWithACoreOfItsOwnSpinsForAWhile) {
  WorkerPolicy policy(true);
  std::vector<Nanos> yields;
  Nanos now = 1000 * us;
  for (; !policy.will_park(); now += 5 * us) {
    const auto next = policy.next(now);
    ASSERT_NE(next, Next::park);
    if (next == Next::yield) yields.push_back(now - 1000 * us);
  }
  EXPECT_EQ(now, 1105 * us);
  EXPECT_EQ(yields, (std::vector<Nanos>{25 * us, 50 * us, 75 * us, 100 * us}));
  EXPECT_EQ(policy.next(now), Next::park);
  policy.found();
  EXPECT_FALSE(policy.will_park());
  EXPECT_EQ(policy.next(now), Next::poll);
  EXPECT_EQ(policy.next(now + 24 * us), Next::poll) << "it begins anew";
}

TEST(IdlePolicy, AWorkerThatSharesItsCoreParksAtOnce) {
  WorkerPolicy policy(false);
  EXPECT_TRUE(policy.will_park());
  EXPECT_EQ(policy.next(0), Next::park);
  policy.found();
  EXPECT_TRUE(policy.will_park());
}

std::vector<Nanos> parks(WorkerPolicy& policy, const Situation& situation, int times) {
  std::vector<Nanos> all;
  for (int i = 0; i < times; ++i) all.push_back(policy.park_time(situation));
  return all;
}

TEST(IdlePolicy, AWorkersParksGetLonger) {
  WorkerPolicy policy(false);
  auto situation = quiet();
  EXPECT_EQ(parks(policy, situation, 10),
            (std::vector<Nanos>{20 * us, 40 * us, 80 * us, 160 * us, 320 * us, 640 * us, 1280 * us,
                                2560 * us, 5 * ms, 5 * ms}));
  situation.busy = true;
  EXPECT_EQ(parks(policy, situation, 2), (std::vector<Nanos>{500 * us, 500 * us}))
      << "what a busy sibling sparks nobody is notified of";
  policy.found();
  EXPECT_EQ(parks(policy, situation, 7),
            (std::vector<Nanos>{20 * us, 40 * us, 80 * us, 160 * us, 320 * us, 500 * us, 500 * us}))
      << "as in a simulation";
}

TEST(IdlePolicy, AWorkerParksUntilWhatIsDueUnlessAnotherPolls) {
  WorkerPolicy policy(false);
  auto situation = quiet(1 * ms);
  situation.undone.due = 1 * ms + 7;
  EXPECT_EQ(policy.park_time(situation), 7);
  situation.polled = true;
  EXPECT_EQ(policy.park_time(situation), 40 * us);
  situation.polled = false;
  situation.now = 2 * ms;
  EXPECT_EQ(policy.park_time(situation), 0);
  situation.undone = {.waiting = true};
  EXPECT_EQ(policy.park_time(situation), 50 * us);
}

// ---- the progress thread

TEST(IdlePolicy, TheProgressThreadTriesAgainWhenTheLockWasTaken) {
  ProgressThreadPolicy policy;
  auto situation = quiet(1000);
  EXPECT_EQ(policy.park_until(situation, false), 1000 + 20 * us);
  situation.polled = true;
  EXPECT_EQ(policy.park_until(situation, false), 1000 + 500 * us) << "by who polls, most often";
}

TEST(IdlePolicy, WhatIsDueIsTheProgressThreadsIfNobodyPollsOrItWasNotified) {
  ProgressThreadPolicy policy;
  auto situation = quiet(1 * ms);
  situation.undone.due = 2 * ms;
  EXPECT_EQ(policy.park_until(situation, true), 2 * ms);
  EXPECT_EQ(policy.rest(2 * ms, 2 * ms), 0) << "it has woken by itself";
  situation.polled = true;
  EXPECT_EQ(policy.park_until(situation, true), 7 * ms);
  EXPECT_EQ(policy.rest(6 * ms, 7 * ms), 0) << "it was notified";
  EXPECT_EQ(policy.park_until(situation, true), 2 * ms);
  situation.undone.due = 0;
  EXPECT_EQ(policy.park_until(situation, true), situation.now);
}

TEST(IdlePolicy, TheProgressThreadRestsAfterManyMessagesInARow) {
  ProgressThreadPolicy policy;
  Nanos now = 0;
  const auto woken_after = [&](Nanos time) {
    const auto until = policy.park_until(quiet(now), true);
    now += time;
    return policy.rest(now, until);
  };
  for (int i = 0; i < 7; ++i) ASSERT_EQ(woken_after(199 * us), 0);
  EXPECT_EQ(woken_after(199 * us), 100 * us);
  EXPECT_EQ(woken_after(199 * us), 100 * us);
  EXPECT_EQ(woken_after(200 * us), 0);
  EXPECT_EQ(woken_after(199 * us), 0) << "it counts anew";
}

// ---- spare workers

TEST(IdlePolicy, ASpareWorkerIsCalledForAThreadThatNobodyTakes) {
  SparePolicy policy;
  auto situation = quiet(0);
  EXPECT_FALSE(policy.look(situation));
  EXPECT_EQ(policy.next_look(), never);
  situation.urgent = true;
  situation.now = 10 * ms;
  EXPECT_FALSE(policy.look(situation)) << "it may just have come";
  EXPECT_EQ(policy.next_look(), 13 * ms);
  situation.now = 13 * ms - 1;
  EXPECT_FALSE(policy.look(situation));
  situation.now = 13 * ms;
  EXPECT_TRUE(policy.look(situation));
  EXPECT_EQ(policy.next_look(), 16 * ms) << "one at a time";
  EXPECT_FALSE(policy.look(situation));
}

TEST(IdlePolicy, AsLongAsThreadsAreTakenNoSpareWorkerIsCalled) {
  SparePolicy policy;
  auto situation = quiet(0);
  situation.urgent = true;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(policy.look(situation));
    situation.now += 4 * ms;
    ++situation.taken;
  }
  situation.urgent = false;
  EXPECT_FALSE(policy.look(situation));
  situation.urgent = true;
  situation.now += 4 * ms;
  EXPECT_FALSE(policy.look(situation)) << "this is another one";
}

}  // namespace
}  // namespace trawl::progress
