// Memory of stacks: used again, and given back where there is too much of it.
#include "rts/sched/stacks.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace trawl::sched {
namespace {

constexpr std::size_t size = 256 * 1024;

bool is_mapped(std::span<std::byte> stack) {
  return msync(stack.data(), stack.size(), MS_ASYNC) == 0;
}

TEST(Stacks, TheLastOneGivenIsTakenNext) {
  const auto one = take_stack(size);
  const auto other = take_stack(size);
  ASSERT_FALSE(one.empty());
  ASSERT_GE(one.size(), size + stack_guard);
  one.back() = std::byte{7};
  give_stack(other);
  give_stack(one);
  const auto again = take_stack(size);
  EXPECT_EQ(again.data(), one.data());
  EXPECT_EQ(again.back(), std::byte{7}) << "its pages are there";
  EXPECT_DEATH(again.front() = std::byte{1}, "") << "its guard is, too";
  give_stack(again);
}

TEST(Stacks, OneOfAnotherSizeIsNotTaken) {
  const auto small = take_stack(size);
  give_stack(small);
  const auto large = take_stack(2 * size);
  EXPECT_EQ(large.size(), small.size() + size);
  give_stack(large);
}

TEST(Stacks, ABurstIsGivenBack) {
  std::vector<std::span<std::byte>> burst;
  for (int i = 0; i < 300; ++i) burst.push_back(take_stack(size));
  for (const auto stack : burst) give_stack(stack);
  long mapped = 0;
  for (const auto stack : burst) mapped += is_mapped(stack) ? 1 : 0;
  EXPECT_LE(mapped, 64);
}

TEST(Stacks, ThereMayBeNoMemory) {
  EXPECT_TRUE(take_stack(std::size_t{1} << 60U).empty());
}

}  // namespace
}  // namespace trawl::sched
