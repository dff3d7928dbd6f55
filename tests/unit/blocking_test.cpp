// Calls that wait for the world outside.
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/aside.hpp"
#include "tests/unit/lang_grid.hpp"
#include "tests/unit/team.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

std::atomic<bool> rung{false};

long ring(long n) {
  rung = true;
  return n;
}

bool wait_for_the_ring() {
  const auto begin = std::chrono::steady_clock::now();
  while (!rung && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60))
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return rung;
}

TEST(Blocking, OthersRunMeanwhile) {
  for (int workers = 1; workers <= 2; ++workers) {
    rung = false;
    Team team(workers);
    bool came = false;
    long value = 0;
    team.run(
        [&] {
          const auto spark = par(lazy<ring>(7L));
          came = blocking(wait_for_the_ring);
          value = force(spark);
        },
        true);
    EXPECT_TRUE(came);
    EXPECT_EQ(value, 7);
  }
}

TEST_P(Lang, BlockingGivesWhatTheCallGives) {
  run([] {
    std::string written;
    blocking([&written] { written = "by reference"; });
    EXPECT_EQ(written, "by reference");
    EXPECT_EQ(blocking([] { return std::make_unique<int>(3); }) == nullptr, false);
    EXPECT_THROW(blocking([]() -> long { throw std::out_of_range("far"); }), std::out_of_range);
  });
}

TEST(Blocking, GivesWhatTheCallGives) {
  Team team(1);
  team.run(
      [] {
        const auto here = std::this_thread::get_id();
        EXPECT_NE(blocking([] { return std::this_thread::get_id(); }), here);
        EXPECT_EQ(*blocking([] { return std::make_unique<int>(3); }), 3);
        EXPECT_THROW(blocking([]() -> long { throw std::out_of_range("far"); }), std::out_of_range);
        EXPECT_THROW(blocking([] { return force(lazy<twice>(1L)); }), Error);
      },
      true);
}

std::atomic<int> inside{0};
std::atomic<int> most_inside{0};

long naps(long n) {
  return blocking([n] {
    const int now = ++inside;
    for (int most = most_inside; most < now && !most_inside.compare_exchange_weak(most, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --inside;
    return n;
  });
}

TEST(Blocking, ManyAtATime) {
  inside = most_inside = 0;
  Team team(2);
  long sum = 0;
  team.run(
      [&] {
        std::vector<long> numbers(1000);
        std::iota(numbers.begin(), numbers.end(), 0);
        const auto values = lazy_map<naps>(numbers);
        apply(values, par_list(rseq));
        for (const auto& value : values) sum += force(value);
      },
      true);
  EXPECT_EQ(sum, 499500);
  EXPECT_GT(most_inside, 2) << "no more than there are workers";
  EXPECT_LE(most_inside, static_cast<int>(sched::Aside::most_threads));
  EXPECT_EQ(team.pe().workers().aside().under_way(), 0u);
}

}  // namespace
}  // namespace trawl
