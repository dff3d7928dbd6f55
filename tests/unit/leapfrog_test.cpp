// Who waits for a thief runs what that has left, before sparks of his own.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/team.hpp"

namespace trawl {
namespace {

enum class Ran { nothing, of_the_thief, of_his_own };

std::atomic<bool> is_stolen{false};
std::atomic<Ran> first{Ran::nothing};

void note(Ran what) {
  auto nothing = Ran::nothing;
  first.compare_exchange_strong(nothing, what);
}

long part_of_stolen(long n) {
  note(Ran::of_the_thief);
  return n;
}

long own(long n) {
  note(Ran::of_his_own);
  return n;
}

// Its spark lies in the thief's pool for as long as nobody else runs anything.
long stolen(long n) {
  const auto part = par(lazy<part_of_stolen>(n));
  is_stolen = true;
  while (first == Ran::nothing) std::this_thread::yield();
  return force(part);
}

TEST(Leapfrog, WhatTheThiefHasLeftComesFirst) {
  is_stolen = false;
  first = Ran::nothing;
  long sum = 0;
  test::Team team(2);
  team.run([&] {
    auto call = spawn<stolen>(1L);
    while (!is_stolen) std::this_thread::yield();
    const auto other = par(lazy<own>(2L));
    sum = call.sync();
    sum += force(other);
  });
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(first, Ran::of_the_thief);
}

}  // namespace
}  // namespace trawl
