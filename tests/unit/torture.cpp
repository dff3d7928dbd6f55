// With TRAWL_TEST_TORTURE=N in the environment every test runs with a collection at each N-th
// allocation. N doubles with every 7 collections of a test: the heaviest make millions of
// allocations.
#ifndef TRAWL_NO_COLLECTOR

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "rts/heap/collect.hpp"

namespace trawl {
namespace {

constexpr unsigned collections_before_doubling = 7;

constinit std::atomic<unsigned> every{0};
constinit std::atomic<unsigned> of_this_test{0};
constinit std::atomic<std::uint64_t> of_all_tests{0};

void count(bool begins) {
  if (begins || every == 0) return;
  ++of_all_tests;
  if (++of_this_test % collections_before_doubling != 0) return;
  every = every * 2;
  heap::set_torture(every);
}

class EachTest final : public testing::EmptyTestEventListener {
 public:
  explicit EachTest(unsigned at_first) : at_first_(at_first) {}

  void OnTestStart(const testing::TestInfo&) override {
    heap::set_collection_hook(&count);
    of_this_test = 0;
    every = at_first_;
    heap::set_torture(every);
  }
  void OnTestEnd(const testing::TestInfo&) override {
    every = 0;
    heap::set_torture(0);
  }

 private:
  unsigned at_first_;
};

class AllTests final : public testing::Environment {
 public:
  // Even a test of arithmetic makes some allocations, in the test framework.
  void TearDown() override {
    const auto tests = testing::UnitTest::GetInstance()->test_to_run_count();
    EXPECT_GE(of_all_tests, static_cast<std::uint64_t>(tests)) << "nobody was tortured";
    std::cout << of_all_tests << " collections\n";
  }
};

[[maybe_unused]] const bool asked_for = [] {
  const char* at_first = std::getenv("TRAWL_TEST_TORTURE");
  if (at_first == nullptr) return false;
  // The framework deletes them.
  testing::AddGlobalTestEnvironment(new AllTests);
  testing::UnitTest::GetInstance()->listeners().Append(
      new EachTest(static_cast<unsigned>(std::stoul(at_first))));
  return true;
}();

}  // namespace
}  // namespace trawl

#endif
