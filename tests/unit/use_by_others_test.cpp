// What others use of this host, and when that is too much for a PE to stay.
#include "rts/host/use_by_others.hpp"

#include <csignal>
#include <memory>
#include <vector>

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

constexpr Nanos a_while = 100'000'000;
constexpr double of_it = 0.08;  // in seconds: the system counts ticks of 10 ms

TEST(UseByOthers, TimesOfTheHostAndOfProcessesGrow) {
  const Busy busy;
  const auto before = host_times({busy.process()});
  busy.computes_for(a_while);
  const auto now = host_times({busy.process()});
  EXPECT_GE(now.own - before.own, of_it);
  EXPECT_GE(now.all - before.all, of_it);
}

TEST(UseByOthers, WhatOnesOwnHaveIsNotTheirs) {
  constexpr Nanos second = 1'000'000'000;
  EXPECT_DOUBLE_EQ(used_by_others({100, 10}, {103, 12}, 2 * second), 0.5);
  EXPECT_EQ(used_by_others({100, 10}, {101, 12}, second), 0);  // read one after the other
  EXPECT_EQ(used_by_others({100, 10}, {103, 9}, second), 0);   // one has ended
  EXPECT_EQ(used_by_others({100, 10}, {103, 12}, 0), 0);
}

TEST(UseByOthers, TheOwnerIsBackOnceTheyHaveComputedForAWhile) {
  const Busy busy;
  OwnerIsBack owner({getpid()}, 1);
  Nanos now = 1;
  EXPECT_FALSE(owner.look(now));
  for (int i = 0; i < 3; ++i) {
    busy.computes_for(a_while);
    EXPECT_EQ(owner.look(now += a_while / 10), i == 2);  // some eight cores
  }
}

TEST(UseByOthers, WhoWantsMoreThanThereIsNeverIs) {
  OwnerIsBack owner({getpid()}, 1e9);
  for (Nanos now = 1; now < 6'000'000'000; now += 1'000'000'000) EXPECT_FALSE(owner.look(now));
}

TEST(UseByOthers, OfWhoHasEndedNothingIsKnown) {
  auto busy = std::make_unique<Busy>();
  busy->computes_for(a_while);
  const std::vector own{busy->process()};
  EXPECT_GE(host_times(own).own, of_it);
  busy = nullptr;
  EXPECT_EQ(host_times(own).own, 0);
}

}  // namespace
}  // namespace trawl
