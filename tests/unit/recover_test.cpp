// PEs die in the middle of random task graphs on random grids: the answers stay the same, or the
// run ends with a sentence that says why it can't go on.
//
// Everything follows from a seed. To repeat one: TRAWL_TEST_RECOVER_SEED=n, or some: n-m; with
// TRAWL_TEST_RECOVER_ALL=1 each PE dies at each message of them.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rts/simulate.hpp"
#include "tests/unit/random_graph.hpp"
#include "tests/unit/random_grid.hpp"

namespace trawl {
namespace {

using test::below;
using test::Random;
using test::random_grid;
using test::RandomGraph;
using Cases = heap::SharedHeap::Cases;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const std::uint64_t graphs = 50;
#else
const std::uint64_t graphs = std::getenv("TRAWL_TEST_TORTURE") != nullptr ? 20 : 1000;
#endif

/// Whoever sends or gets a message dies with it.
struct Death {
  std::uint64_t message;  ///< its number, in the order of sending
  bool sender;
  bool sent;  ///< it has still left
};

struct Outcome {
  std::uint64_t messages = 0;
  std::uint64_t deaths = 0;
  std::uint64_t failed = 0;  ///< with an error
  Cases cases{};
};

void add(Cases& sum, const Cases& more) {
  for (auto field :
       {&Cases::exported, &Cases::moved, &Cases::by_value, &Cases::by_argument, &Cases::by_thunk,
        &Cases::giver, &Cases::lost, &Cases::reverted, &Cases::fetched, &Cases::dropped,
        &Cases::orphaned, &Cases::duplicate, &Cases::forwarded})
    sum.*field += more.*field;
}

/// Runs the graph of a seed while PEs die.
Outcome run(std::uint64_t seed, const std::vector<Death>& deaths) {
  Random random(seed);
  const RandomGraph graph(random);
  auto config = random_grid(random, seed);
  config.net.notice = test::one_of<Nanos>(random, {0, 10'000, 1'000'000});
  Outcome outcome;
  Simulation* grid = nullptr;
  config.net.lose = [&](int from, int to, std::span<const std::byte>) {
    const auto number = outcome.messages++;
    for (const auto& death : deaths) {
      const int who = death.sender ? from : to;
      if (death.message != number || who == 0 || grid == nullptr) continue;
      if (!grid->net().is_dead(who)) ++outcome.deaths;
      grid->net().kill(who);
      if (!death.sent) return true;
    }
    return false;
  };
  Simulation simulation(config);
  grid = &simulation;
  try {
    std::vector<test::Answer> answers;
    simulation.run([&] { answers = graph.evaluate(random); }, 600'000'000'000);
    EXPECT_EQ(answers, graph.plain());
    EXPECT_EQ(simulation.finish(3).code, 3);
  } catch (const Error& e) {
    ++outcome.failed;
    const std::string why = e.what();
    EXPECT_NE(why.find("was lost with a PE, and can't be made again"), std::string::npos) << why;
  }
  for (int pe = 0; pe < simulation.size(); ++pe)
    add(outcome.cases, simulation.pe(pe).shared_heap().cases());
  return outcome;
}

std::pair<std::uint64_t, std::uint64_t> seeds() {
  if (const char* only = std::getenv("TRAWL_TEST_RECOVER_SEED")) {
    char* end = nullptr;
    const auto first = std::strtoull(only, &end, 10);
    return {first, (*end == '-' ? std::strtoull(end + 1, nullptr, 10) : first) + 1};
  }
  return {1, graphs + 1};
}

void add(Outcome& sum, const Outcome& more) {
  sum.deaths += more.deaths;
  sum.failed += more.failed;
  add(sum.cases, more.cases);
}

std::string spell(const Cases& c) {
  return "exported " + std::to_string(c.exported) + " moved " + std::to_string(c.moved) +
         " by_value " + std::to_string(c.by_value) + " by_argument " +
         std::to_string(c.by_argument) + " by_thunk " + std::to_string(c.by_thunk) + " giver " +
         std::to_string(c.giver) + " lost " + std::to_string(c.lost) + " reverted " +
         std::to_string(c.reverted) + " fetched " + std::to_string(c.fetched) + " dropped " +
         std::to_string(c.dropped) + " orphaned " + std::to_string(c.orphaned) + " duplicate " +
         std::to_string(c.duplicate) + " forwarded " + std::to_string(c.forwarded);
}

TEST(Recover, TheAnswersAreTheSameWhoeverDies) {
  Outcome sum;
  const auto [from, to] = seeds();
  const bool all = std::getenv("TRAWL_TEST_RECOVER_ALL") != nullptr;
  for (auto seed = from; seed < to && !HasFailure(); ++seed) {
    const auto messages = run(seed, {}).messages;
    Random random(seed);
    const auto turns = all ? 2 * messages : std::min<std::uint64_t>(messages, 6);
    for (std::uint64_t turn = 0; turn < turns && !HasFailure(); ++turn) {
      std::vector<Death> deaths;
      const auto first = all ? turn / 2 : below(random, messages);
      deaths.push_back({first, turn % 2 == 0, below(random, 2) == 0});
      if (turn % 3 == 2)
        deaths.push_back({first + below(random, messages - first), below(random, 2) == 0, true});
      SCOPED_TRACE("TRAWL_TEST_RECOVER_SEED=" + std::to_string(seed) + ", message " +
                   std::to_string(first) + ", turn " + std::to_string(turn));
      add(sum, run(seed, deaths));
    }
  }
  if (from + 1 == to) return;
  const auto& cases = sum.cases;
  SCOPED_TRACE(spell(cases));
  EXPECT_EQ(sum.failed, 0U);
  EXPECT_GT(sum.deaths, 2 * (to - from));
  EXPECT_GT(cases.exported, 0U);
  EXPECT_GT(cases.moved, 0U);
  EXPECT_GT(cases.by_value, 0U);
  EXPECT_GT(cases.giver, 0U);
  EXPECT_GT(cases.lost, 0U);
  EXPECT_GT(cases.reverted, 0U);
  EXPECT_GT(cases.fetched, 0U);
  EXPECT_GT(cases.dropped, 0U);
  EXPECT_GT(cases.orphaned, 0U);
  EXPECT_GT(cases.duplicate, 0U);
  EXPECT_GT(cases.forwarded, 0U);
}

}  // namespace
}  // namespace trawl
