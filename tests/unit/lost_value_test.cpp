// A value is lost with a PE, and can't be made again: whoever needs it, the run ends, and nobody
// goes on without it.
#include <cstddef>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "tests/unit/dying_grid.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using test::added;
using test::same;
using test::squared;

/// Why a run ends whose root is given the sum of distributed data without copies, which are gone.
std::string end_of(const std::function<void(const Lazy<long>&)>& root) {
  auto config = test::dying_grid_of(3);
  config.options.copies = 0;
  Simulation simulation(config);
  try {
    simulation.run([&] {
      const auto data = generate<squared>(12);
      EXPECT_EQ(force(reduce<same, added>(data)), 506);
      simulation.net().kill(1);
      root(reduce<same, added>(data));
    });
  } catch (const Error& error) {
    return error.what();
  }
  return "it did not end";
}

constexpr auto needed = "what the program needs was lost with a PE";
constexpr auto caught =
    "a function has caught, by catch (...), what is thrown where a value is lost";

TEST(LostValue, TheRootNeedsIt) {
  bool went_on = false;
  const auto why = end_of([&](const Lazy<long>& sum) {
    force(sum);
    went_on = true;
  });
  EXPECT_NE(why.find(needed), std::string::npos) << why;
  EXPECT_FALSE(went_on);
}

long one_more(const Lazy<long>& sum) {
  return force(sum) + 1;
}

TEST(LostValue, AThunkNeedsItThatTheRootForces) {
  const auto why = end_of([](const Lazy<long>& sum) { force(lazy<one_more>(sum)); });
  EXPECT_NE(why.find(needed), std::string::npos) << why;
}

TEST(LostValue, TheRootCatchesAll) {
  bool went_on = false;
  const auto why = end_of([&](const Lazy<long>& sum) {
    try {
      force(sum);
    } catch (...) {
    }
    went_on = true;
  });
  EXPECT_NE(why.find(caught), std::string::npos) << why;
  EXPECT_FALSE(went_on);
}

// By type nobody catches it: it is no std::exception.
TEST(LostValue, TheRootCatchesExceptions) {
  const auto why = end_of([](const Lazy<long>& sum) {
    try {
      force(sum);
    } catch (const std::exception&) {
      ADD_FAILURE();
    }
  });
  EXPECT_NE(why.find(needed), std::string::npos) << why;
}

// Whoever helps with a loop keeps what a part has thrown, for the one who is helped.
TEST(LostValue, TheRootCatchesAllThatALoopThrows) {
  bool went_on = false;
  const auto why = end_of([&](const Lazy<long>& sum) {
    try {
      here::for_each(std::size_t{4}, [&](std::size_t) { force(sum); });
    } catch (...) {
    }
    went_on = true;
  });
  EXPECT_NE(why.find(caught), std::string::npos) << why;
  EXPECT_FALSE(went_on);
}

long swallows(const Lazy<long>& sum) {
  try {
    return force(sum);
  } catch (...) {
    return 0;
  }
}

TEST(LostValue, AFunctionCatchesAll) {
  const auto why = end_of([](const Lazy<long>& sum) {
    const auto first = par(lazy<swallows>(sum));
    Simulation::work(10 * ms);
    force(first);
  });
  EXPECT_NE(why.find(caught), std::string::npos) << why;
}

}  // namespace
}  // namespace trawl
