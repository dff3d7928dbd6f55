// What may not be held while a thread blocks, as far as the runtime can know of it.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/team.hpp"

namespace {

using trawl::Lazy;
using trawl::Simulation;

long slow(long n) {
  Simulation::work(10'000'000);
  return n;
}

long kept_in_static(const Lazy<long>& x) {
  static const long kept = trawl::force(x);
  return kept;
}

long kept_in_another(const Lazy<long>& x) {
  static const long kept = trawl::force(x) + trawl::force(x);
  return kept;
}

std::string twice_over(const std::string& text) {
  return text + text;
}

// Made while the runtime does not know its functions yet.
const std::vector<Lazy<std::string>> made_before_main = [] {
  std::vector<Lazy<std::string>> all;
  for (int i = 0; i < 1000; ++i)
    all.push_back(trawl::lazy<twice_over>(std::string(100, static_cast<char>('a' + i % 26))));
  return all;
}();

TEST(Static, ALazyMayBeMadeBeforeMain) {
  Simulation grid({});
  grid.run([] {
    for (std::size_t i = 0; i < made_before_main.size(); ++i)
      EXPECT_EQ(trawl::force(made_before_main[i]),
                std::string(200, static_cast<char>('a' + i % 26)));
  });
}

/// `root` with a value that is under evaluation on another PE.
template <class F>
void with_slow_value(F root) {
  Simulation::Config config;
  config.net.pes = 2;
  Simulation grid(config);
  grid.run([&] {
    const auto x = trawl::par(trawl::lazy<slow>(7));
    while (x.node()->state() == trawl::heap::State::unevaluated) Simulation::work(1000);
    root(x);
  });
  grid.settle();
}

// Without a word it would hang: the second to come to the variable puts this OS thread to sleep.
TEST(Static, NobodyBlocksInAnInitialisation) {
  with_slow_value([](const Lazy<long>& x) {
    const auto second = trawl::par(trawl::lazy<kept_in_static>(x));
    try {
      kept_in_static(x);
      ADD_FAILURE();
    } catch (const trawl::Error& e) {
      EXPECT_NE(std::string(e.what()).find("static"), std::string::npos);
    }
    EXPECT_EQ(trawl::force(x), 7);  // outside it may
    EXPECT_EQ(kept_in_static(x), 7);
    EXPECT_TRUE(second);
  });
}

TEST(Static, WhatIsThereMayBeForced) {
  with_slow_value([](const Lazy<long>& x) {
    trawl::force(x);
    EXPECT_EQ(kept_in_another(x), 14);
    const auto y = trawl::lazy<slow>(8);
    static const long made = trawl::force(y);
    EXPECT_EQ(made, 8);
    static const bool nested = kept_in_another(x) == 14 && [] {
      static const std::string text(100, 'x');
      return text.size() == 100;
    }();
    EXPECT_TRUE(nested);
  });
}

// Nobody could be waited for who helps with its loop.
long summed_by_a_loop() {
  std::atomic<long> sum{0};
  trawl::here::for_each(50, [&sum](std::size_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    sum += 2;
  });
  return sum;
}

TEST(Static, ALoopInAnInitialisationHasNoHelpers) {
  trawl::test::Team team(4);
  team.run([] {
    static const long made = summed_by_a_loop();
    EXPECT_EQ(made, 100);
  });
}

}  // namespace
