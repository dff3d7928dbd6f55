// A policy that a program brings along: found by its name, asked by each PE, checked.
#include "rts/balance/registered.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/policy.hpp>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/balance_inputs.hpp"

namespace trawl {
namespace {

/// Only ever asks the main PE, and counts who was asked what.
class ToMain : public Policy {
 public:
  static inline std::set<int> asked_by;
  static inline int forwards = 0;
  static inline unsigned portions = 0;

  int victim(const PolicyView& view, std::uint64_t) override {
    asked_by.insert(view.self());
    return view.self() == 0 ? -1 : 0;
  }
  int forward(const PolicyView&, int thief, std::uint64_t) override {
    ++forwards;
    return thief;
  }
  unsigned sparks(const PolicyView&, int, unsigned) override {
    ++portions;
    return 2;
  }
};

class Astray : public Policy {
 public:
  int victim(const PolicyView& view, std::uint64_t) override { return view.size(); }
};

class Busiest : public Policy {
 public:
  int victim(const PolicyView& view, std::uint64_t) override {
    const auto others = view.others();
    return *std::max_element(others.begin(), others.end(), [&](int a, int b) {
      return view.load(a).sparks < view.load(b).sparks;
    });
  }
};

const PolicyRegistration to_main("to-main", [] { return std::make_unique<ToMain>(); });
const PolicyRegistration astray("astray", [] { return std::make_unique<Astray>(); });
const PolicyRegistration busiest("to-busiest", [] { return std::make_unique<Busiest>(); });

long piece(long n) {
  Simulation::work(500'000);
  return n;
}

void add_up() {
  std::vector<Lazy<long>> all;
  for (long n = 0; n < 60; ++n) all.push_back(par(lazy<piece>(n)));
  long sum = 0;
  for (const auto& each : all) sum += force(each);
  EXPECT_EQ(sum, 59 * 30);
}

Simulation::Config grid_with(int pes, const std::string& policy) {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.policy = policy;
  return config;
}

TEST(Registered, IsAskedByEachPe) {
  Simulation grid(grid_with(4, "to-main"));
  grid.run(add_up);
  grid.settle();
  EXPECT_EQ(ToMain::asked_by, (std::set<int>{0, 1, 2, 3}));
  EXPECT_GT(ToMain::portions, 0U);
  EXPECT_GT(ToMain::forwards, 0);
  const auto count = [&](int pe, Count what) {
    return grid.pe(pe).statistics()[static_cast<std::size_t>(what)];
  };
  EXPECT_EQ(count(0, Count::fish_sent), 0U);
  for (int pe = 1; pe < 4; ++pe) {
    EXPECT_EQ(count(pe, Count::fish_answered), 0U) << "only the main PE was asked";
    EXPECT_GT(count(pe, Count::sparks_imported), 0U);
  }
}

TEST(Registered, WhereNobodyIsThereTheRunEndsWithASentence) {
  Simulation grid(grid_with(2, "astray"));
  try {
    grid.run(add_up);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the program's policy 'astray' sends a FISH from PE 0 to PE 2: choose one of "
              "others()");
  }
}

TEST(Registered, SeesWhatIsKnown) {
  balance::Tables tables(1, 4);
  set_static(tables, 3, {.speed = 2, .cores = 4, .cluster = 1});
  tables.note_load(2, balance::load(7, 3, 100));
  tables.note_latency(3, {5'000, 1});
  tables.note_steal(1, 11'000, 1, true);
  tables.forget(0);
  const PolicyView view(tables);
  EXPECT_EQ(view.self(), 1);
  EXPECT_EQ(view.size(), 4);
  EXPECT_EQ(view.others().size(), 2U);
  EXPECT_EQ(view.far().size(), 1U);
  EXPECT_EQ(view.cluster_of(1).size(), 2U);
  EXPECT_FALSE(view.alive(0));
  EXPECT_EQ(view.strength(3), 8);
  EXPECT_EQ(view.load(2).sparks, 7U);
  EXPECT_EQ(view.load(2).runnable, 3U);
  EXPECT_GE(view.load(2).age, 0);
  EXPECT_LT(view.load(3).age, 0);
  EXPECT_EQ(view.latency(3), 5'000);
  EXPECT_LT(view.latency(2), 0);
  EXPECT_EQ(view.last_steal(3), 11'000);
  EXPECT_LT(view.last_steal(2), 0);
  EXPECT_EQ(balance::make_policy("to-busiest")->next(tables, {}, 1).victim, 2);
}

TEST(Registered, WaitsAndGoesHomeAsInGridGum) {
  const auto policy = balance::make_policy("to-busiest");
  const balance::Tables tables(1, 4);
  EXPECT_EQ(policy->next(tables, {.now = 5, .near_after = 7}, 1).again, 7);
  const std::vector<balance::Cast> one{{1, 2, 0, false, 0}};
  EXPECT_EQ(policy->next(tables, {.under_way = one}, 1).victim, -1);
  EXPECT_EQ(policy->forward(tables, {.thief = 3}, 1), 3);
  EXPECT_EQ(policy->portion(tables, {.thief = 3}, {9}), 1U);
}

TEST(Registered, WhatItThrowsEndsTheRunWithItsName) {
  struct Throws final : Policy {
    int victim(const PolicyView&, std::uint64_t) override { throw std::out_of_range("of bounds"); }
  };
  static bool registered = false;
  if (!std::exchange(registered, true))
    const PolicyRegistration one("throws", [] { return std::make_unique<Throws>(); });
  const balance::Tables tables(1, 4);
  try {
    balance::make_policy("throws")->next(tables, {}, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), std::string("the program's policy 'throws' threw: of bounds"));
    EXPECT_EQ(e.exit_code(), 2);
  }
}

TEST(Registered, WhoCantMakeOneIsNamed) {
  const PolicyRegistration one(
      "not made", []() -> std::unique_ptr<trawl::Policy> { throw std::runtime_error("no file"); });
  try {
    balance::make_registered("not made");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), std::string("the program's policy 'not made' threw: no file"));
    EXPECT_EQ(e.exit_code(), 2);
  }
}

TEST(Registered, WhatItThrowsMayBeAnything) {
  struct Throws final : Policy {
    int victim(const PolicyView&, std::uint64_t) override { throw 42; }
  };
  static bool registered = false;
  if (!std::exchange(registered, true))
    const PolicyRegistration one("throws 42", [] { return std::make_unique<Throws>(); });
  const balance::Tables tables(1, 4);
  EXPECT_THROW(balance::make_policy("throws 42")->next(tables, {}, 1), Error);
}

TEST(Registered, NamesOfTrawlsOwnAndTwiceTheSameAreRefused) {
  static bool registered = false;
  if (!std::exchange(registered, true)) {
    const auto make = [] { return std::make_unique<Busiest>(); };
    const PolicyRegistration one("twice", make), two("twice", make);
  }
  EXPECT_THROW(balance::make_policy("twice"), Error);
  EXPECT_EQ(balance::make_registered("crs"), nullptr);
}

}  // namespace
}  // namespace trawl
