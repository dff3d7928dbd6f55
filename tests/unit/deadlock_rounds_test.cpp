// The rounds in which the main PE asks whether anybody can go on. The test plays the other PE.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/heap/code.hpp"
#include "rts/sched/deadlock_detector.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

using fabric::Kind;

constexpr Nanos round_time = 50'000'000;
constexpr Nanos silence = 10 * round_time;
constexpr Nanos patience = sched::DeadlockDetector::patience_with_lost(silence);

long number(long n) {
  return n;
}

/// PE 0 of two, with one worker, who is the one that asks.
class MainPe final : public test::StillHost, public fabric::Outbox {
 public:
  struct Answer {
    bool at_rest = true;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::string report = "  PE 1: somebody waits\n";
  };

  explicit MainPe(int pes = 2) : deadlock(0, pes, workers_, *this, silence) {
    heap::CodeTable::get();
  }

  std::string look(Nanos now) { return deadlock.look(now, &workers_[0]); }
  /// PE 1 answers the last PROBE, or an older one.
  void answer(const Answer& what, std::uint32_t rounds_ago = 0) {
    deadlock.on_state({round_ - rounds_ago, {what.at_rest, what.sent, what.received, what.report}},
                      1);
  }
  /// PROBEs sent since the last call.
  int probes() { return std::exchange(probes_, 0); }
  /// A round, answered so.
  std::string round(const Answer& what) {
    now_ += round_time;
    const auto verdict = look(now_);
    if (probes() != 0) answer(what);
    return verdict;
  }

  void make_spark() { workers_[0].pool.push(lazy<number>(1L).node()); }
  void take_spark() { workers_[0].pool.take_newest(); }

  Writer open(Kind kind, int) override {
    Writer message;
    message.put(kind);
    return message;
  }
  void send(int to, Writer message) override {
    if (fabric::row_of(message.view()).kind != Kind::probe) return;
    if (to != 1) return;
    Reader reader(message.view().subspan(1));
    round_ = sched::Probe::read(reader, {0, 1, 2}).round;
    ++probes_;
  }
  bool flushed() override { return flushed_; }
  void set_flushed(bool all) { flushed_ = all; }
  heap::SharedHeap& shared_heap() noexcept override { return shared_heap_; }

 private:
  Counters counters_;
  bool flushed_ = true;
  std::uint32_t round_ = 0;
  int probes_ = 0;
  Nanos now_ = 0;
  fabric::Memory memory_;
  heap::SharedHeap shared_heap_{0, 2, 16, {}, memory_, *this, counters_, [](heap::Node*) {}};
  test::StillFabric fabric_;
  progress::State state_;
  sched::Workers workers_{{}, *this, fabric_, state_};

 public:
  sched::DeadlockDetector deadlock;
};

TEST(DeadlockRounds, TwoEqualOnesOfRestAreADeadlock) {
  MainPe pe;
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "blocked for ever, nobody can go on:\n  PE 1: somebody waits\n");
}

// As where a connection does not come about.
TEST(DeadlockRounds, WhoHasSomethingToSendIsNotAtRest) {
  MainPe pe;
  pe.set_flushed(false);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pe.round({}), "");
  pe.set_flushed(true);
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "");
  EXPECT_NE(pe.round({}), "");
}

// Else one PE could answer for another.
TEST(DeadlockRounds, NobodyAnswersTwice) {
  MainPe pe;
  EXPECT_EQ(pe.look(0), "");
  pe.answer({});
  EXPECT_THROW(pe.answer({}), BadBytes);
  EXPECT_NO_THROW(pe.answer({}, 1)) << "an older one, late";
  EXPECT_THROW(pe.deadlock.on_state({1, {}}, 0), BadBytes) << "it has not asked itself";
  EXPECT_EQ(pe.look(round_time), "");
  EXPECT_EQ(pe.probes(), 2) << "and nothing is lost";
}

TEST(DeadlockRounds, OneComesAtMostEveryFiftyMilliseconds) {
  MainPe pe;
  pe.look(0);
  EXPECT_EQ(pe.probes(), 1);
  pe.answer({});
  pe.look(round_time - 1);
  EXPECT_EQ(pe.probes(), 0);
  pe.look(round_time);
  EXPECT_EQ(pe.probes(), 1);
}

TEST(DeadlockRounds, AllHaveToAnswerAndNotToAnOlderOne) {
  MainPe pe;
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.look(10 * round_time), "");
  EXPECT_EQ(pe.probes(), 1);
  pe.answer({}, 1);
  for (int i = 11; i < 20; ++i) EXPECT_EQ(pe.look(i * round_time), "");
  EXPECT_EQ(pe.probes(), 0) << "it has not ended";
  pe.answer({});
  EXPECT_NE(pe.look(20 * round_time), "");
}

TEST(DeadlockRounds, WhoeverWorksIsWaitedFor) {
  MainPe pe;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pe.round({.at_rest = false}), "");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pe.round({}), "");
  pe.make_spark();
  EXPECT_EQ(pe.look(200 * round_time), "");
  EXPECT_EQ(pe.look(300 * round_time), "");
  EXPECT_EQ(pe.probes(), 0) << "it has work itself";
  pe.take_spark();
  EXPECT_EQ(pe.look(400 * round_time), "");
  EXPECT_EQ(pe.probes(), 1);
}

TEST(DeadlockRounds, WhileMessagesMoveNobodyIsBlocked) {
  MainPe pe;
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(pe.round({.sent = i, .received = i}), "");
}

TEST(DeadlockRounds, WhereNobodyHasBeenNothingIsMissing) {
  MainPe pe(3);
  pe.deadlock.empty(2);
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "blocked for ever, nobody can go on:\n  PE 1: somebody waits\n");
}

TEST(DeadlockRounds, WhatWhoHasGoneHadSentNobodyKnows) {
  MainPe pe(3);
  pe.deadlock.dead(2);
  Nanos waited = -round_time;  // the first that is looked at
  while (pe.round({}).empty() && waited < 2 * patience) waited += round_time;
  EXPECT_EQ(waited, patience);
  EXPECT_EQ(pe.round({}),
            "blocked for ever after a PE was lost, or left:\n  PE 1: somebody waits\n");
}

TEST(DeadlockRounds, NobodyWaitsBeforeTheProgramBegins) {
  MainPe pe;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pe.round({.report = ""}), "");
}

TEST(DeadlockRounds, AMessageThatIsMissingForLongIsLost) {
  MainPe pe;
  pe.deadlock.sent();
  pe.deadlock.sent();
  pe.deadlock.received();
  EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}), "");  // the first that is looked at
  for (Nanos waited = round_time; waited < patience; waited += round_time)
    EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({}),
            "blocked for ever, 1 messages have been lost on the way:\n  PE 1: somebody waits\n");
}

TEST(DeadlockRounds, AMessageMayTakeItsTime) {
  MainPe pe;
  pe.deadlock.sent();
  constexpr auto nearly = patience / round_time - 2;
  for (Nanos i = 0; i < nearly; ++i) EXPECT_EQ(pe.round({}), "");
  EXPECT_EQ(pe.round({.sent = 1}), "");  // time begins anew
  for (Nanos i = 0; i < nearly; ++i) EXPECT_EQ(pe.round({.sent = 1}), "");
  EXPECT_EQ(pe.round({.sent = 1, .received = 2}), "");
  EXPECT_EQ(pe.round({.sent = 1, .received = 2}), "");
  EXPECT_NE(pe.round({.sent = 1, .received = 2}), "");
}

}  // namespace
}  // namespace trawl
