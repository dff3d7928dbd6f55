// A Lazy where a function takes its value: the thunk forces it.
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/code.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::Lazy;
using namespace trawl::test;

std::vector<long> up_to(long n) {
  std::vector<long> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0L);
  return all;
}
long sum_of(const std::vector<long>& all, long more) {
  return std::accumulate(all.begin(), all.end(), more);
}
double half(double x) {
  return x / 2;
}
Lazy<long> itself(Lazy<long> x) {
  return x;
}

TEST_P(Lang, ALazyIsLiftedWhereItsValueIsTaken) {
  run([] {
    const auto numbers = trawl::lazy<up_to>(5);
    const auto more = trawl::lazy<twice>(16);
    const auto sum = trawl::lazy<sum_of>(numbers, more);
    EXPECT_FALSE(numbers.evaluated()) << "not before the thunk is";
    trawl::par(sum);
    let_others_work();
    EXPECT_EQ(trawl::force(sum), 42);
    EXPECT_EQ(trawl::force(numbers).size(), 5U);
    EXPECT_EQ(trawl::force(trawl::lazy<sum_of>(numbers, 0)), 10) << "one of two";
    EXPECT_EQ(trawl::force(trawl::lazy<half>(more)), 16.0) << "and converted";
    EXPECT_EQ(trawl::lazy<itself>(more).evaluated(), false);
    EXPECT_EQ(trawl::force(trawl::force(trawl::lazy<itself>(more))), 32) << "not where it is taken";
    auto spawned = trawl::spawn<sum_of>(numbers, more);
    EXPECT_EQ(spawned.sync(), 42);
    EXPECT_EQ(trawl::force(trawl::lazy([](long a, long b) { return a - b; }, more, 2)), 30);
  });
}

// A function that gives a Lazy: its thunk is a Lazy of that.
TEST_P(Lang, AValueThatIsALazyIsTakenToo) {
  run([] {
    const auto outer = trawl::lazy<itself>(trawl::lazy<twice>(16));
    EXPECT_EQ(trawl::force(trawl::force(trawl::lazy<itself>(outer))), 32);
    auto spawned = trawl::spawn<itself>(outer);
    EXPECT_EQ(trawl::force(spawned.sync()), 32);
  });
}

TEST_P(Lang, WhatALiftedArgumentThrowsIsTheValue) {
  run([] {
    const auto sum = trawl::lazy<sum_of>(trawl::lazy<up_to>(2), trawl::lazy<fails>(0));
    EXPECT_THROW(trawl::force(sum), std::out_of_range);
  });
}

TEST(Lifted, NamesAreThoseOfTheFunction) {
  const auto name = [](const auto& lazy) { return trawl::heap::short_name(lazy.node()->code()); };
  const auto lifted = name(trawl::lazy<sum_of>(Lazy<std::vector<long>>(std::vector<long>()), 1));
  const auto plain = name(trawl::lazy<sum_of>(std::vector<long>(), 1));
  EXPECT_EQ(lifted.substr(0, lifted.find('(', lifted.find("sum_of"))),
            plain.substr(0, plain.find('(', plain.find("sum_of"))));
}

}  // namespace
