// What others do on this host, told from what some processes do.
#include "rts/host/others.hpp"

#include <csignal>
#include <memory>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"

namespace trawl {
namespace {

/// A process that computes.
class Busy {
 public:
  Busy() : process_(fork()) {
    if (process_ == 0)
      while (true) {
      }
  }
  ~Busy() {
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  pid_t process() const { return process_; }
  /// Waits until it has had so much more of a processor.
  void computes_for(Nanos time) const {
    clockid_t clock{};
    ASSERT_EQ(clock_getcpuclockid(process_, &clock), 0);
    const auto end = read_clock(clock) + time;
    while (read_clock(clock) < end) usleep(1'000);
  }

 private:
  pid_t process_;
};

constexpr Nanos enough = 100'000'000;
constexpr double cores = 3;  // by a clock that goes a tenth as fast

TEST(Others, WhatOneOfOurOwnUsesIsNotTheirs) {
  const Busy busy;
  OthersUse all({});
  OthersUse others({busy.process()});
  EXPECT_EQ(all.look(1), 0);
  EXPECT_EQ(others.look(1), 0);
  busy.computes_for(enough);
  const double of_all = all.look(1 + enough / 10);
  const double of_others = others.look(1 + enough / 10);
  EXPECT_NEAR(of_all - of_others, 10.0, cores);
}

TEST(Others, TheOwnerIsBackOnceTheyHaveComputedForAWhile) {
  const Busy busy;
  OwnerIsBack owner({getpid()}, cores);
  Nanos now = 1;
  EXPECT_FALSE(owner.look(now));
  for (int i = 0; i < 2; ++i) {
    busy.computes_for(enough);
    EXPECT_FALSE(owner.look(now += enough / 10));
  }
  busy.computes_for(enough);
  EXPECT_TRUE(owner.look(now + enough / 10));
}

TEST(Others, WhoWantsMoreThanThereIsNeverIs) {
  OwnerIsBack owner({getpid()}, 1e9);
  for (Nanos now = 1; now < 6'000'000'000; now += 1'000'000'000) EXPECT_FALSE(owner.look(now));
}

// Then nothing can be told of the time in which it did.
TEST(Others, WhoHasEndedCountsNoMore) {
  auto busy = std::make_unique<Busy>();
  OthersUse others({busy->process()});
  busy->computes_for(enough);
  others.look(1);
  busy->computes_for(enough);
  busy = nullptr;
  EXPECT_EQ(others.look(1 + enough / 10), 0);
}

}  // namespace
}  // namespace trawl
