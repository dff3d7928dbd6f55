// profiles/report: numbers that a run is judged by, from bins and audits.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/report/facts.hpp"

namespace trawl::profile {
namespace {

constexpr Nanos slot = 1000;

/// PEs of one worker, of which each bin is what `state` says for a PE and a bin.
Activity activity(int pes, int bins, const std::function<Bin(int, int)>& state) {
  Activity all;
  all.to = all.run_end = bins * slot;
  all.sum.resize(static_cast<std::size_t>(bins));
  for (int pe = 0; pe < pes; ++pe) {
    PeActivity one;
    one.header.pe = pe;
    one.header.pes = pes;
    one.last = all.to;
    for (int bin = 0; bin < bins; ++bin) {
      one.bins.push_back(state(pe, bin));
      one.total += one.bins.back();
      all.sum[static_cast<std::size_t>(bin)] += one.bins.back();
    }
    all.pes.push_back(one);
  }
  return all;
}

Bin running() {
  Bin bin;
  bin.busy = bin.running = bin.active = slot;
  return bin;
}

/// With so many sparks and blocked threads.
Bin waiting(int sparks, int blocked) {
  Bin bin;
  bin.sparks = sparks * slot;
  bin.blocked = blocked * slot;
  if (blocked > 0) bin.blocked_only = slot;
  return bin;
}

Facts facts_of(const Activity& all, const std::vector<FunctionAudit>& functions = {}) {
  const std::vector<double> noted(all.pes.size(), static_cast<double>(all.length()));
  return judge(all, {}, {}, functions, {}, {}, noted);
}

TEST(JudgedFacts, LateStartIsOneHoweverLongItIs) {
  const auto facts = facts_of(
      activity(4, 100, [](int pe, int bin) { return pe == 0 || bin >= 80 ? running() : Bin{}; }));
  EXPECT_NEAR(facts.shares.start, 0.75 * 0.8, 0.02);
  EXPECT_NEAR(facts.shares.starved, 0, 1e-9);
}

// As the words have it: more than half.
TEST(JudgedFacts, WhereExactlyHalfOfTheWorkersRunIsTheEnd) {
  for (const int pes : {2, 4, 8}) {
    const auto facts = facts_of(activity(
        pes, 100, [pes](int pe, int bin) { return bin < 60 || pe < pes / 2 ? running() : Bin{}; }));
    EXPECT_NEAR(facts.tail_from, 60 * slot / 1e9, 1e-12) << pes;
    EXPECT_NEAR(facts.shares.tail, 0.5 * 0.4, 1e-9) << pes;
  }
  const auto more = facts_of(
      activity(4, 100, [](int pe, int bin) { return bin < 60 || pe < 3 ? running() : Bin{}; }));
  EXPECT_NEAR(more.shares.tail, 0, 1e-9);
}

TEST(JudgedFacts, HalfOfTheWorkersNowAndThenIsNoMiddle) {
  const auto facts = facts_of(activity(
      4, 100, [](int pe, int bin) { return pe == 0 || bin % 5 == 0 ? running() : Bin{}; }));
  EXPECT_NEAR(facts.shares.starved, 0.6, 0.02);
  EXPECT_NEAR(facts.shares.start + facts.shares.tail, 0, 1e-9);
}

/// PE 0 runs, PE 1 has a blocked thread, and may have no other.
Shares shares(int sparks_of_0, int sparks_of_1, bool at_limit) {
  const auto all = activity(2, 100, [=](int pe, int) {
    auto bin = pe == 0 ? running() : waiting(sparks_of_1, 1);
    if (pe == 0) bin.sparks = sparks_of_0 * slot;
    if (pe == 1 && at_limit) bin.held = slot;
    return bin;
  });
  return facts_of(all).shares;
}

TEST(JudgedFacts, AsManyThreadsAsMayLiveWhileThereAreSparks) {
  EXPECT_NEAR(shares(0, 0, true).held, 0, 1e-9) << "it is blocked";
  EXPECT_NEAR(shares(0, 0, true).blocked, 0.5, 1e-9);
  EXPECT_NEAR(shares(0, 2, true).held, 0.5, 1e-9) << "its own sparks";
  EXPECT_NEAR(shares(2, 0, true).held, 0.5, 1e-9) << "those of the other";
}

TEST(JudgedFacts, ABlockedThreadIsNoThreadLimit) {
  for (const auto& found : {shares(0, 2, false), shares(2, 0, false)}) {
    EXPECT_NEAR(found.held, 0, 1e-9);
    EXPECT_NEAR(found.apart, 0.5, 1e-9);
  }
}

TEST(JudgedFacts, WorkerBesideABlockedThreadAndSparks) {
  auto all = activity(1, 100, [](int, int) {
    auto bin = running();  // of one of two workers
    bin.sparks = 3 * slot;
    bin.blocked = 1 * slot;
    bin.held = slot;
    return bin;
  });
  all.pes[0].header.workers = 2;
  EXPECT_NEAR(judge(all, {}, {}, {}, {}, {}, {200.0 * slot}).shares.held, 0.5, 1e-9);
}

/// Threads of a function on four PEs, each as long as `length` says.
FunctionAudit function(std::uint32_t code, const std::function<double(int)>& length) {
  FunctionAudit one;
  one.code = code;
  one.name = "f";
  for (int pe = 0; pe < 4; ++pe)
    for (int i = 0; i < 20; ++i) one.by_pe[pe].add(length(pe) * (1 + 0.01 * i));
  return one;
}

TEST(JudgedFacts, SlowPeIsSlowInEverything) {
  const auto all = activity(4, 10, [](int, int) { return running(); });
  const auto slow_on_2 = [](int pe) { return pe == 2 ? 5000 : 1000; };
  const auto alike = [](int) { return 1000; };
  const auto once = facts_of(all, {function(1, slow_on_2)});
  ASSERT_TRUE(once.slow_pe);
  EXPECT_EQ(once.slow_pe->pe, 2);
  EXPECT_NEAR(once.slow_pe->ratio, 5, 0.1);
  EXPECT_TRUE(facts_of(all, {function(1, slow_on_2), function(2, slow_on_2)}).slow_pe);
  EXPECT_FALSE(facts_of(all, {function(1, slow_on_2), function(2, alike)}).slow_pe)
      << "it was given more of the first";
}

TEST(JudgedFacts, FewThreadsThatAreAlikeByChanceAreNoSlowPe) {
  const auto all = activity(4, 10, [](int, int) { return running(); });
  FunctionAudit tree;  // of which pieces may be of any size
  for (int pe = 0; pe < 4; ++pe)
    for (int i = 0; i < (pe == 2 ? 4 : 20); ++i)
      tree.by_pe[pe].add(pe == 2 ? 30'000 + i : 10 * std::pow(2, i % 14));
  EXPECT_FALSE(facts_of(all, {tree}).slow_pe);
}

// A list whose first pieces are long: a thief got some of them at once.
TEST(JudgedFacts, ABatchOfLongPiecesIsNoSlowPe) {
  const auto all = activity(4, 10, [](int, int) { return running(); });
  for (const int short_ones : {0, 10}) {
    FunctionAudit piece;
    const auto add = [&piece](int pe, int number, double length) {
      for (int i = 0; i < number; ++i) piece.by_pe[pe].add(length + i);
    };
    for (const int pe : {0, 1, 3}) {
      add(pe, 8, 8'000'000);
      add(pe, 120, 400'000);
    }
    add(2, 15, 8'000'000);
    add(2, short_ones, 400'000);
    EXPECT_FALSE(facts_of(all, {piece}).slow_pe) << short_ones << " short ones on it";
  }
}

// Where a worker loses its core, a short thread takes as long as that lasts.
TEST(JudgedFacts, ASlowPeIsOneThoughAFewThreadsOfOthersAreLong) {
  const auto all = activity(4, 10, [](int, int) { return running(); });
  FunctionAudit piece;
  for (int pe = 0; pe < 4; ++pe)
    for (int i = 0; i < (pe == 2 ? 60 : 300); ++i)
      piece.by_pe[pe].add((pe == 2 ? 500'000 : 100'000) + 100 * i);
  for (const int pe : {0, 1}) piece.by_pe[pe].add(4'000'000);
  const auto facts = facts_of(all, {piece});
  ASSERT_TRUE(facts.slow_pe);
  EXPECT_EQ(facts.slow_pe->pe, 2);
}

}  // namespace
}  // namespace trawl::profile
