// spawn and sync: divide and conquer, in any order, abandoned, and with exceptions.
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::Simulation;
using namespace trawl::test;

long fib(int n) {
  Simulation::work(2000);
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

TEST_P(Lang, SpawnDividesAndConquers) {
  run([] { EXPECT_EQ(fib(16), 987); });
}

TEST_P(Lang, SyncInAnyOrder) {
  run([] {
    for (const bool pause : {false, true}) {
      auto a = trawl::spawn<twice>(1);
      auto b = trawl::spawn([](const std::string& s) { return s + "!"; }, "b");
      auto c = trawl::spawn<where>(0);
      auto d = trawl::spawn<add>(3, 4);
      if (pause) let_others_work();
      EXPECT_EQ(b.sync(), "b!");
      EXPECT_EQ(a.sync(), 2);
      EXPECT_EQ(d.sync(), 7);
      EXPECT_GE(c.sync(), 0);
    }
  });
}

TEST_P(Lang, WhatIsNeverSyncedIsWithdrawn) {
  static int made;
  made = 0;
  run([] {
    auto outer = trawl::spawn<twice>(1);
    {
      auto first = trawl::spawn([] { return ++made; });
      auto second = trawl::spawn(
          [](const std::vector<long>& v) { return made += static_cast<int>(v.size()); },
          std::vector<long>(100));
    }
    EXPECT_EQ(outer.sync(), 2);
    EXPECT_EQ(made, 0);
    // Taken away, and still running when nobody wants it any more.
    {
      auto away = trawl::spawn<fib>(8);
      Simulation::work(200'000);
    }
    EXPECT_EQ(fib(5), 5);
  });
}

TEST_P(Lang, SyncThrowsTheSameWhereverTheCallWasMade) {
  run([] {
    for (const bool here : {true, false}) {
      auto unheard = trawl::spawn<fails>(2);
      auto number = trawl::spawn<fails>(3);
      auto heard = trawl::spawn<fails>(5);
      auto overdrawn = trawl::spawn<fails>(6);
      auto standard = trawl::spawn<fails>(0);
      if (!here) let_others_work();
      EXPECT_THROW(standard.sync(), std::out_of_range);
      try {
        overdrawn.sync();
        ADD_FAILURE();
      } catch (const Overdrawn& e) {
        EXPECT_EQ(e.by, 7);
      }
      EXPECT_THROW(heard.sync(), Heard);
      EXPECT_THROW(number.sync(), trawl::RemoteError);
      EXPECT_THROW(unheard.sync(), trawl::RemoteError);
    }
  });
}

TEST_P(Lang, ASecondSyncIsRefused) {
  run([] {
    for (const bool here : {true, false}) {
      auto x = trawl::spawn<twice>(1);
      auto y = trawl::spawn<twice>(2);
      auto large =
          trawl::spawn([](const std::vector<long>& v) { return v.size(); }, std::vector<long>(100));
      if (!here) let_others_work();
      EXPECT_EQ(large.sync(), 100);
      EXPECT_THROW(large.sync(), trawl::Error);
      EXPECT_EQ(x.sync(), 2);
      EXPECT_THROW(x.sync(), trawl::Error);
      EXPECT_EQ(y.sync(), 4);
      EXPECT_THROW(x.sync(), trawl::Error);
      EXPECT_THROW(y.sync(), trawl::Error);
    }
  });
}

TEST_P(Lang, AThreadOfTheProgramsOwnIsRefused) {
  run([] {
    const auto x = trawl::lazy<twice>(1);
    std::string said;
    std::thread([&said, x] {
      for (const auto& use : {+[](const trawl::Lazy<long>& y) { trawl::force(y); },
                              +[](const trawl::Lazy<long>& y) { trawl::par(y); },
                              +[](const trawl::Lazy<long>&) { trawl::spawn<twice>(1).sync(); }}) {
        try {
          use(x);
          said += "nothing";
        } catch (const trawl::Error& e) {
          said = e.what();
        }
      }
    }).join();
    EXPECT_NE(said.find("a thread that the program has started itself"), std::string::npos) << said;
    EXPECT_EQ(trawl::force(x), 2);
  });
}

long throws_with_sparks_pending(int depth) {
  auto x = trawl::spawn<fib>(4);
  auto y = trawl::spawn<fib>(5);
  Simulation::work(30'000);
  if (depth == 0) throw std::domain_error("deep");
  const long below = throws_with_sparks_pending(depth - 1);
  return x.sync() + y.sync() + below;
}

TEST_P(Lang, ExceptionsPassWhileSparksArePending) {
  run([] {
    auto before = trawl::spawn<twice>(4);
    EXPECT_THROW(throws_with_sparks_pending(10), std::domain_error);
    EXPECT_EQ(before.sync(), 8);
    EXPECT_EQ(fib(10), 55);
  });
}

}  // namespace
