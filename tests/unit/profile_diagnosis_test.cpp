// profiles/report: facts in, sentences out.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/report/diagnosis.hpp"
#include "profiles/report/names.hpp"

namespace trawl::profile {
namespace {

/// Eight workers for ten seconds, all of them busy.
Facts healthy() {
  Facts facts;
  facts.seconds = 10;
  facts.pes = facts.workers = 8;
  facts.shares.busy = 0.96;
  facts.shares.tail = 0.02;
  facts.shares.apart = 0.02;
  facts.start_until = 0.05;
  facts.tail_from = 9.9;
  facts.threads = 4000;
  facts.thread_mean = 20e-3;
  facts.imported = 1000;
  facts.imported_mean = 30e-3;
  facts.longest = 0.3;
  facts.longest_function = facts.finest_function = facts.blocked_function = "f";
  facts.sparks = 12;
  facts.runnable = 0.5;
  facts.fish = 1200;
  facts.fish_in_vain = 100;
  facts.fish_time = 200e-6;
  facts.way = 120e-6;
  facts.slow_link = SlowLink{"a", "a", 60e-6, 60e-6, 100e-6};
  facts.path_known = true;
  facts.path_run = 0.95;
  facts.path_travel = 0.02;
  return facts;
}

/// The same, but that so much of the busy time went elsewhere.
Facts with(double Shares::*where, double share) {
  auto facts = healthy();
  facts.shares.busy -= share;
  facts.shares.*where += share;
  return facts;
}

void expect(const Facts& facts, Limit limit, const std::string& evidence) {
  const auto findings = diagnose(facts);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(name_of(findings.front().limit), name_of(limit)) << findings.front().evidence;
  EXPECT_NE(findings.front().evidence.find(evidence), std::string::npos)
      << findings.front().evidence;
  EXPECT_FALSE(findings.front().advice.empty());
}

TEST(Diagnosis, SparksThatFoundNoRoomAreNamed) {
  auto facts = with(&Shares::tail, 0.6);
  facts.shares.busy = 0.3;
  facts.sparks_made = 40'000;
  facts.sparks_ignored = 1000;
  EXPECT_NE(diagnose(facts).front().limit, Limit::full_pool) << "few of them";
  facts.sparks_ignored = 23'568;
  expect(facts, Limit::full_pool, "23568 of some 40000 sparks found no room");
  EXPECT_NE(diagnose(facts).front().advice.find("--trawl:spark-pool"), std::string::npos);
  EXPECT_EQ(diagnose(facts).size(), 1U);
  facts.shares = healthy().shares;
  EXPECT_TRUE(diagnose(facts).empty()) << "nobody was idle";
}

TEST(Diagnosis, OfEmptyLogsThatEndEarlyNothingIsSaid) {
  auto facts = with(&Shares::starved, 0.9);
  facts.threads = 0;
  facts.lost_logs = 8;
  EXPECT_TRUE(diagnose(facts).empty());
  EXPECT_NE(in_words(facts, {}).find("nothing is known"), std::string::npos);
}

TEST(Diagnosis, WhoWasLostLeftOrCameIsTold) {
  auto facts = healthy();
  facts.lost = {2};
  facts.joined = {4, 5};
  const auto text = in_words(facts, diagnose(facts));
  EXPECT_NE(text.find(" PE 2 was lost: what it had was evaluated again."), std::string::npos);
  EXPECT_NE(text.find(" PEs 4, 5 came while the run went on."), std::string::npos);
  EXPECT_EQ(text.find("left"), std::string::npos);
}

TEST(Diagnosis, HealthyRunDrawsNoComplaint) {
  EXPECT_TRUE(diagnose(healthy()).empty());
  EXPECT_EQ(in_words(healthy(), {}),
            "8 workers ran threads for 96 % of 10.0 s; nothing stands out: no cause costs 10 % or "
            "more of their time.");
}

TEST(Diagnosis, NothingAtAllIsNoComplaint) {
  EXPECT_TRUE(diagnose({}).empty());
}

TEST(Diagnosis, WithoutThreadsNoneAreTooFine) {
  auto facts = with(&Shares::between, 0.5);
  facts.threads = facts.imported = 0;
  facts.thread_mean = 0;
  EXPECT_TRUE(diagnose(facts).empty());
}

TEST(Diagnosis, FineThreadsOfNoKnownFunction) {
  auto facts = with(&Shares::between, 0.5);
  facts.thread_mean = 5e-6;
  facts.finest_function.clear();
  EXPECT_EQ(diagnose(facts).at(0).advice, "make larger pieces: a chunk, or a cut-off");
}

TEST(Diagnosis, OneIsNotSeveral) {
  auto facts = with(&Shares::starved, 0.4);
  facts.threads = 1;
  expect(facts, Limit::starved, "(1 thread for 8 workers");
  facts.longest = 9;
  expect(facts, Limit::too_coarse, "there was 1 thread for 8 workers");
  facts.lost_logs = 1;
  EXPECT_NE(in_words(facts, {}).find("1 of the logs ends early"), std::string::npos);
}

TEST(Diagnosis, Starved) {
  expect(with(&Shares::starved, 0.4), Limit::starved, "40 % of their time while no PE had a spark");
}

TEST(Diagnosis, Flooded) {
  auto facts = with(&Shares::gc, 0.08);
  facts.runnable = 200;
  expect(facts, Limit::flooded, "200 runnable threads");
  facts.runnable = 0;
  facts.sparks = 9000;
  EXPECT_TRUE(diagnose(facts).empty()) << "large pieces: it does no harm";
  facts.thread_mean = 30e-6;
  expect(facts, Limit::flooded, "9000 sparks");
}

TEST(Diagnosis, TooFine) {
  auto facts = with(&Shares::between, 0.3);
  facts.thread_mean = 2e-6;
  expect(facts, Limit::too_fine, "2.00 us on average");
}

TEST(Diagnosis, TooFineForTheWay) {
  auto facts = with(&Shares::apart, 0.3);
  facts.imported = 3000;
  facts.imported_mean = 100e-6;
  expect(facts, Limit::too_fine,
         "ran for 100 us on average, and a FISH and its answer take 120 us");
  EXPECT_EQ(diagnose(facts).size(), 1U) << "it is said once";
}

TEST(Diagnosis, TooCoarse) {
  auto facts = with(&Shares::starved, 0.4);
  facts.threads = 9;
  facts.longest = 9;
  expect(facts, Limit::too_coarse,
         "9 threads for 8 workers, and one of f ran for 9.00 s of 10.0 s");
}

TEST(Diagnosis, OneThreadAtTheEndIsTooCoarse) {
  auto facts = with(&Shares::tail, 0.3);
  facts.tail_from = 6;
  facts.tail_by = Culprit{"g", 3, 0.9, 3.5};
  expect(facts, Limit::too_coarse, "in the last 4.00 s no more than half of the workers ran");
}

TEST(Diagnosis, SlowPe) {
  auto facts = with(&Shares::tail, 0.3);
  facts.tail_from = 6;
  facts.tail_by = Culprit{"g", 3, 0.9, 3.5};
  facts.tail_speed = 0.3;
  expect(facts, Limit::slow_pe, "whose speed is 0.30 where the mean is 1.00");

  facts = healthy();
  facts.slow_pe = SlowPe{5, 5, "g", 40};
  expect(facts, Limit::slow_pe, "PE 5 is slow: g takes 5.0 times as long on it");
  facts.slow_pe->ratio = 1.7;
  EXPECT_TRUE(diagnose(facts).empty()) << "it costs a twentieth of one of eight, and all are busy";
}

TEST(Diagnosis, SlowLink) {
  auto facts = with(&Shares::blocked, 0.3);
  facts.blocked_afar = 0.9;
  facts.path_travel = 0.4;
  facts.slow_link = SlowLink{"here", "there", 0.1, 60e-6, 0.2};
  expect(facts, Limit::slow_link, "one from here to there takes 100 ms (median");
  EXPECT_EQ(diagnose(facts).size(), 1U) << "blocked threads are a part of it";
  EXPECT_EQ(diagnose(facts).front().advice.find("make larger pieces"), 0U);
  facts.path_ends = 0.5;
  EXPECT_EQ(diagnose(facts).front().advice.find("give it more to do"), 0U);
  facts.slow_link->carries = 1e6;
  facts.slow_link->busy = 0.8;
  expect(facts, Limit::slow_link, "it can carry about 1.0 MB a second, and was busy for 80 %");
  EXPECT_EQ(diagnose(facts).front().advice.find("send less"), 0U);
  facts.path_ends = 0;
  facts.path_travel = 0.05;
  EXPECT_EQ(diagnose(facts).front().limit, Limit::blocking) << "the path is not in messages";
}

TEST(Diagnosis, Collection) {
  auto facts = with(&Shares::gc, 0.25);
  facts.collections = 40;
  facts.collection = 0.06;
  expect(facts, Limit::collection, "25 % of their time (40 of them, 60.0 ms each)");
}

TEST(Diagnosis, ChainOfBlocking) {
  auto facts = with(&Shares::blocked, 0.5);
  facts.blocks = 300;
  facts.path_wakes = 280;
  expect(facts, Limit::blocking, "50 % of their time (300 blocks, those of f for longest");
  expect(facts, Limit::blocking, "280 times from a thread to one that waited");
}

/// Most threads are pieces of skeletons, and PEs wait for each other's.
Facts of_skeletons() {
  auto facts = with(&Shares::blocked, 0.2);
  facts.shares.busy -= 0.2;
  facts.shares.starved = 0.2;
  facts.pieces = {.lead = true,
                  .function = "stencil_shard<f>",
                  .mean = 1e-3,
                  .each = 5,
                  .busiest = 3,
                  .its = 5.5,
                  .root_alone = 0.01};
  return facts;
}

// More sparks, which would help others, are no advice for them.
TEST(Diagnosis, WhatSkeletonsWaitFor) {
  auto facts = of_skeletons();
  const auto only = [&](Limit limit, const std::string& evidence) {
    expect(facts, limit, evidence);
    EXPECT_EQ(diagnose(facts).size(), 1U);
    EXPECT_EQ(diagnose(facts).front().advice.find("spark"), std::string::npos);
    EXPECT_NEAR(diagnose(facts).front().cost, 0.4, 0.05);
  };
  only(Limit::blocking, "one of stencil_shard<f> ran for 1.00 ms");
  facts.pieces.its = 8;
  only(Limit::uneven, "those of PE 3 ran for 8.00 s, those of the mean PE for 5.00 s");
  facts.pieces.root_alone = 0.5;
  only(Limit::starved, "the root ran for 50 %");
  facts.pieces.mean = 50e-6;
  only(Limit::too_fine, "one of stencil_shard<f> ran for 50.0 us on average");
  facts.pieces.lead = false;
  EXPECT_EQ(diagnose(facts).front().limit, Limit::blocking);
  EXPECT_GT(diagnose(facts).size(), 1U);
}

TEST(Diagnosis, TheirEndIsWaitingToo) {
  auto facts = of_skeletons();
  facts.shares.blocked -= 0.2;
  facts.shares.tail += 0.2;
  facts.tail_by = Culprit{"stencil_shard<f>", 3, 0.3, 1e-3};
  expect(facts, Limit::blocking, "waited for each other's pieces");
  EXPECT_EQ(diagnose(facts).size(), 1U);
  FunctionAudit piece;
  piece.ran_threads = piece.imported = 64;
  piece.ran = 64 * 30e3;
  EXPECT_NE(advice_for(piece, facts), "");
  piece.is_placed = true;
  EXPECT_EQ(advice_for(piece, facts), "") << "nobody fishes for it";
}

TEST(Diagnosis, SkeletonsOverAFarLink) {
  auto facts = of_skeletons();
  facts.slow_link = SlowLink{"a", "b", 10e-3, 60e-6, 12e-3};
  facts.path_travel = 0.5;
  expect(facts, Limit::slow_link, "one from a to b takes 10.0 ms");
  EXPECT_EQ(diagnose(facts).size(), 1U);
  EXPECT_NE(diagnose(facts).front().advice.find("more data"), std::string::npos);
}

FunctionAudit ran(std::uint32_t code, bool is_placed, std::uint64_t threads,
                  std::map<int, double> seconds) {
  FunctionAudit function;
  function.code = code;
  function.called = "f" + std::to_string(code);
  function.is_placed = is_placed;
  function.ran_threads = threads;
  for (const auto& [pe, time] : seconds) {
    function.ran_on[pe] = 1e9 * time;
    function.ran += 1e9 * time;
  }
  return function;
}

TEST(Pieces, OfTheRootsPeMayBeUnevenToo) {
  const auto pieces = judge_pieces(
      {ran(root_code, false, 1, {{0, 5}}), ran(1, true, 60, {{0, 9}, {1, 3}, {2, 2}})}, 3, 20);
  EXPECT_TRUE(pieces.is_roots);
  EXPECT_EQ(pieces.busiest, 0);
  EXPECT_DOUBLE_EQ(pieces.its, 9);
  EXPECT_DOUBLE_EQ(pieces.each, 2.5);
  EXPECT_EQ(pieces.root_alone, 0) << "what it ran may have been pieces";
}

TEST(Pieces, AreJudgedBesideTheRoot) {
  const auto pieces =
      judge_pieces({ran(root_code, false, 1, {{0, 5}}), ran(1, true, 60, {{0, 1}, {1, 3}, {2, 2}}),
                    ran(2, true, 30, {{2, 1.5}}), ran(3, false, 88, {{1, 9}})},
                   3, 10);
  EXPECT_TRUE(pieces.lead);
  EXPECT_EQ(pieces.function, "f1");
  EXPECT_DOUBLE_EQ(pieces.mean, 0.1);
  EXPECT_EQ(pieces.busiest, 2);
  EXPECT_DOUBLE_EQ(pieces.its, 3.5);
  EXPECT_DOUBLE_EQ(pieces.each, 3.25) << "of those without the root";
  EXPECT_DOUBLE_EQ(pieces.root_alone, 0.275) << "it evaluates pieces itself";
  EXPECT_FALSE(pieces.is_roots);
  EXPECT_FALSE(judge_pieces({ran(1, true, 60, {{0, 1}}), ran(3, false, 60, {{1, 9}})}, 2, 10).lead);
  EXPECT_FALSE(judge_pieces({ran(1, true, 60, {{0, 1}})}, 1, 10).lead) << "one PE waits for nobody";
}

TEST(Diagnosis, LateStart) {
  auto facts = with(&Shares::start, 0.3);
  facts.start_until = 3.4;
  facts.start_by = Culprit{"the root", 0, 1, 3.4};
  expect(facts, Limit::late_start,
         "only after 3.40 s, which cost 30 % of all workers' time; until");
  expect(facts, Limit::late_start, "the root ran for 100 % of the time on PE 0");
}

TEST(Diagnosis, Tail) {
  auto facts = with(&Shares::tail, 0.2);
  facts.tail_from = 7;
  facts.tail_by = Culprit{"g", 3, 0.6, 0.2};
  expect(facts, Limit::tail, "in the last 3.00 s");
}

TEST(Diagnosis, WhereAShortRunEndsNobodyWaitsForValues) {
  auto facts = with(&Shares::tail, 0.2);
  facts.tail_from = 7;
  facts.tail_by = Culprit{"g", 3, 0.05, 0.1};
  expect(facts, Limit::tail, "which waited for values");
  facts.tail_ends = 0.9;
  expect(facts, Limit::tail, "for 90 % of that the last thread of the critical path had ended");
  EXPECT_EQ(diagnose(facts).front().advice.find("give it more to do"), 0U);
  facts.tail_by.reset();
  expect(facts, Limit::tail, "for 90 % of that the last thread of the critical path had ended");
  facts.tail_by = Culprit{"g", 3, 0.6, 0.2};
  facts.tail_ends = 0.4;
  expect(facts, Limit::tail, "g ran then on PE 3");
}

TEST(Diagnosis, SequentialEndIsATail) {
  auto facts = with(&Shares::tail, 0.2);
  facts.tail_from = 7;
  facts.tail_by = Culprit{"the root", 0, 1, 2.9};
  expect(facts, Limit::tail, "the root ran then on PE 0 for 100 % of it, up to 2.90 s at a time");
  facts.threads = 9;
  expect(facts, Limit::too_coarse, "the root ran");  // what it forced is in it
  facts.tail_by->longest = 0.01;
  expect(facts, Limit::tail, "the root ran");
  facts.longest = 3;
  expect(facts, Limit::too_coarse, "in the last 3.00 s");
}

TEST(Diagnosis, ThreadLimit) {
  auto facts = with(&Shares::held, 0.3);
  expect(facts, Limit::thread_limit,
         "ran nothing for 30 % of their time although there were sparks");
  facts.path_travel = 0.4;
  facts.slow_link = SlowLink{"here", "there", 0.1, 60e-6, 0.2};
  expect(facts, Limit::slow_link, "long under way");
  EXPECT_EQ(diagnose(facts).size(), 1U) << "sparks could not come in time";
}

TEST(Diagnosis, Fishing) {
  expect(with(&Shares::apart, 0.3), Limit::fishing,
         "while other PEs had sparks (1200 FISH, 100 in");
}

TEST(Diagnosis, WhatCostsMostComesFirst) {
  auto facts = with(&Shares::gc, 0.2);
  facts.shares.busy -= 0.3;
  facts.shares.starved = 0.3;
  const auto findings = diagnose(facts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].limit, Limit::starved);
  EXPECT_EQ(findings[1].limit, Limit::collection);
  const auto words = in_words(facts, findings);
  EXPECT_LT(words.find("no PE had a spark"), words.find("Collections stopped")) << words;
}

TEST(Diagnosis, FunctionsAreAdvisedByTheirThreads) {
  FunctionAudit function;
  function.code = 3;
  function.ran_threads = 1000;
  function.ran = 1000 * 3e3;
  EXPECT_EQ(advice_for(function, healthy()), "too fine: 3.00 us on average");
  FunctionAudit large;
  large.code = 4;
  large.ran_threads = 1;
  large.longest = 8'000'000'000;
  EXPECT_EQ(advice_for(large, healthy()), "") << "all are busy";
  EXPECT_EQ(advice_for(large, with(&Shares::starved, 0.4)), "too coarse: one ran for 8.00 s");
}

TEST(Diagnosis, NamesAreShort) {
  EXPECT_EQ(short_name("{anonymous}::solutions({anonymous}::Board, int)"), "solutions");
  EXPECT_EQ(short_name("(anonymous namespace)::f(int)"), "f");
  EXPECT_EQ(short_name("trawl::detail::fork<long int> (trawl::Lazy<long int>)"), "fork<long int>");
  EXPECT_EQ(short_name("trawl::detail::map_shard<{anonymous}::square, long int, long int> (long "
                       "unsigned int, trawl::Lazy<trawl::detail::Shard<long int> >)"),
            "map_shard<square>");
  EXPECT_EQ(short_name("trawl::detail::shape (int)"), "shape");
  EXPECT_EQ(short_name("S::f(int) const"), "S::f");
  EXPECT_EQ(short_name("f<g<long int> >(int)"), "f");
  EXPECT_EQ(short_name("(odd)"), "(odd)");
  EXPECT_EQ(short_name(""), "");
}

TEST(Diagnosis, ALambdaIsNotTheFunctionThatItIsIn) {
  EXPECT_EQ(short_name("root()::<lambda(long int)>(long int)"), "root::lambda");
  EXPECT_EQ(short_name("a::S::f(std::vector<int>) const::<lambda(int)>(int)"), "a::S::f::lambda");
  EXPECT_EQ(short_name("f<h>(int)::<lambda(int)>::<lambda(auto:1)>(int)"), "f::lambda::lambda");
  EXPECT_EQ(short_name("trawl::detail::map_shard<root()::<lambda(long int)>, long int> (int)"),
            "map_shard<root::lambda>");
  EXPECT_EQ(short_name("open<lambda("), "openlambda") << "whatever a log holds";
  EXPECT_EQ(short_name("open<<,(<"), "open");
  EXPECT_EQ(short_name("trawl::detail::f<"), "f");
}

std::vector<std::string> called(const std::vector<std::string>& names) {
  std::vector<FunctionAudit> functions(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) functions[i].name = names[i];
  tell_apart(functions);
  std::vector<std::string> all;
  for (const auto& each : functions) all.push_back(each.called);
  return all;
}

TEST(Diagnosis, InstancesOfATemplateAreToldApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(called({"{anonymous}::piece<1, Pair<A, B> >(int)",
                    "{anonymous}::piece<2, Pair<A, B> >(int)", "other<3>(int)"}),
            (Names{"piece<1, Pair>", "piece<2, Pair>", "other"}));
  EXPECT_EQ(called({"piece<Pair<A, B> >(int)", "piece<Pair<A, C> >(int)"}),
            (Names{"piece<Pair<A, B>>", "piece<Pair<A, C>>"}));
  EXPECT_EQ(called({"f(long int)", "f(double)"}), (Names{"f(long int)", "f(double)"}));
  EXPECT_EQ(
      called({"trawl::detail::map_shard<f, int>(int)", "trawl::detail::map_shard<f, A>(int)"}),
      (Names{"map_shard<f, int>", "map_shard<f, A>"}));
  EXPECT_EQ(called({"g()::<lambda(int)>(int)", "g()::<lambda(int)>(int)"}).size(), 2U);
}

}  // namespace
}  // namespace trawl::profile
