// Grids of 1, 2 and 4 PEs for tests of what a program can say, and functions such programs call.
#pragma once

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace trawl::test {

inline constexpr Nanos a_while = 20'000'000;

/// Runs `root` in grids of several sizes. It is told the size. Tests in several files are of this
/// suite; lazy_test.cpp instantiates it, once for all.
class Lang : public testing::TestWithParam<int> {
 protected:
  void run(const std::function<void()>& root) {
    Simulation::Config config;
    config.net.pes = GetParam();
    Simulation simulation(config);
    simulation.run(root);
    simulation.settle();
  }
  bool alone() const { return GetParam() == 1; }
};

inline long twice(long n) {
  return 2 * n;
}
inline long add(long a, long b) {
  return a + b;
}
/// Time for others to take what there is to take, and to bring it back.
inline void let_others_work() {
  for (int i = 0; i < 100; ++i) Simulation::work(a_while / 100);
}

inline int where(long) {
  return Simulation::here();
}

struct Unheard : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// These travel.
struct Heard : std::logic_error {
  using std::logic_error::logic_error;
};
struct Overdrawn : std::exception {
  const char* what() const noexcept override { return "overdrawn"; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(account, by);
  }

  std::string account;
  long by = 0;
};
TRAWL_EXCEPTION(Heard);
TRAWL_EXCEPTION(Overdrawn);

inline long fails(int how) {
  switch (how) {
    case 0:
      throw std::out_of_range("far");
    case 1:
      throw std::invalid_argument("wrong");
    case 2:
      throw Unheard("of");
    case 3:
      throw 42;
    case 4:
      throw std::bad_alloc();
    case 5:
      throw Heard("well");
    case 6: {
      Overdrawn overdrawn;
      overdrawn.account = "of a long name, not in the exception itself";
      overdrawn.by = 7;
      throw overdrawn;
    }
    case 7:
      throw trawl::Error("ours", 9);
    default:
      return how;
  }
}

}  // namespace trawl::test
