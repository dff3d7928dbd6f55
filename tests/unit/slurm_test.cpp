// Which tasks srun starts where.
#include "rts/launch/slurm.hpp"

#include <gtest/gtest.h>

namespace trawl::launch {
namespace {

/// "2 on 3 from 1": tasks, nodes, the first of these.
std::vector<std::string> told(const Slurm& slurm, int others) {
  std::vector<std::string> all;
  for (const auto& words : slurm.steps(others)) {
    const auto value = [&words](const std::string& option) {
      for (const auto& word : words)
        if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
      return std::string("?");
    };
    EXPECT_EQ(words.front(), "srun");
    all.push_back(value("--ntasks") + " on " + value("--nodes") + " from " + value("--relative"));
  }
  return all;
}

using Words = std::vector<std::string>;

TEST(Slurm, AScriptIsOneOfTheFirstNode) {
  EXPECT_EQ(told({3, 3, 1, true}, 2), (Words{"2 on 2 from 1"}));
  EXPECT_EQ(told({6, 3, 2, true}, 5), (Words{"1 on 1 from 0", "4 on 2 from 1"}));
  EXPECT_EQ(told({4, 1, 4, true}, 3), (Words{"3 on 1 from 0"}));
  EXPECT_EQ(told({5, 3, 3, true}, 4), (Words{"2 on 1 from 0", "2 on 2 from 1"}));
}

TEST(Slurm, FewerPesThanTasks) {
  EXPECT_EQ(told({6, 3, 2, true}, 1), (Words{"1 on 1 from 0"}));
  EXPECT_EQ(told({6, 3, 2, true}, 2), (Words{"1 on 1 from 0", "1 on 1 from 1"}));
  EXPECT_EQ(told({6, 3, 2, true}, 0), Words{});
}

TEST(Slurm, WhoHasCalledSallocIsOnNoNode) {
  EXPECT_EQ(told({3, 3, 1, false}, 2), (Words{"2 on 2 from 0"}));
  EXPECT_EQ(told({6, 3, 2, false}, 5), (Words{"5 on 3 from 0"}));
}

TEST(Slurm, MorePesThanTasksShareTheNodes) {
  EXPECT_EQ(told({2, 2, 1, true}, 9), (Words{"9 on 1 from 1"}));
}

}  // namespace
}  // namespace trawl::launch
