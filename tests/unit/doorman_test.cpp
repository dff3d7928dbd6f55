// The doorman by himself: how often he looks.
#include "rts/sched/doorman.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos longest = 10'000'000'000;

/// A PE that somebody attends, with a doorman.
class Attended final : public test::StillHost {
 public:
  /// `locked`: somebody else always holds the lock.
  explicit Attended(bool locked) : locked_(locked) { events().begin_polling(); }

  int looks() const noexcept { return looks_; }
  sched::Workers& workers() noexcept { return workers_; }
  void set_due(Nanos due) noexcept { due_ = due; }

  Nanos now() const noexcept override {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }
  bool poll(sched::Worker*) override {
    ++looks_;
    return !locked_;
  }
  Nanos longest_sleep() const noexcept override { return longest; }
  Nanos due() const noexcept override { return due_; }

 private:
  bool locked_;
  std::atomic<int> looks_{0};
  std::atomic<Nanos> due_{sched::never};
  Options options_;
  sched::Workers workers_{options_, 1, *this};
};

/// False: not even after a long time.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// A worker that attends polls all the time: then the lock is seldom free, and the core is his.
TEST(Doorman, LooksSeldomBesideAnAttendant) {
  Attended pe(true);
  const auto begin = Clock::now();
  {
    const sched::Doorman doorman(pe.workers());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto time = Clock::now() - begin;
  EXPECT_GT(pe.looks(), 0);
  EXPECT_LE(pe.looks(), time / std::chrono::microseconds(200));
}

// Who attends sees to what is due. If he leaves before, he rings.
TEST(Doorman, SleepsUntilWhatIsDueOnlyIfHeIsRungFor) {
  Attended pe(false);
  pe.set_due(pe.now());
  const sched::Doorman doorman(pe.workers());
  const auto wakes = [&] { return pe.workers().doorman_wakes(); };
  EXPECT_TRUE(comes_true([&] {
    const auto at = wakes();
    return at != sched::never && at - pe.now() > longest / 2;
  }));
  const auto due = pe.now() + longest / 2;
  pe.set_due(due);
  pe.events().notify_progress_thread();
  EXPECT_TRUE(comes_true([&] { return wakes() == due; }));
  pe.set_due(0);
  pe.events().end_polling();
  pe.events().notify_progress_thread();
}

}  // namespace
}  // namespace trawl
