// The progress thread by itself: how often it looks.
#include "rts/progress/progress_thread.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace trawl::progress {
namespace {

using Clock = std::chrono::steady_clock;

Nanos clock_now() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

struct Parts {
  EventCount own_events{};
  State own_state;
};

/// A PE that somebody polls for, and whose next poll is due at some time.
class Polled final : private Parts, public Engine {
 public:
  /// `locked`: somebody else always holds the lock.
  explicit Polled(bool locked) : Engine(own_events, own_state), locked_(locked) {
    events().begin_polling();
  }

  int looks() const noexcept { return looks_; }

  Situation situation() const noexcept override {
    Situation now;
    now.now = clock_now();
    now.undone.due = state().due;
    now.polled = events().polled();
    return now;
  }
  bool look() override {
    ++looks_;
    return !locked_;
  }
  std::function<void()> add_spare() override { return {}; }

 private:
  bool locked_;
  std::atomic<int> looks_{0};
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

// A worker that polls does so all the time: then the lock is seldom free, and the core is his.
TEST(ProgressThread, LooksSeldomBesideAWorkerThatPolls) {
  Polled pe(true);
  const auto begin = Clock::now();
  {
    const ProgressThread progress_thread(pe);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto time = Clock::now() - begin;
  EXPECT_GT(pe.looks(), 0);
  EXPECT_LE(pe.looks(), time / std::chrono::microseconds(200));
}

// Who polls sees to what is due. If he ends that before, he notifies.
TEST(ProgressThread, ParksUntilWhatIsDueOnlyIfItWasNotified) {
  constexpr Nanos some_time = 2'000'000;
  Polled pe(false);
  pe.state().due = clock_now();
  const ProgressThread progress_thread(pe);
  const auto wakes = [&] { return pe.state().progress_thread_wakes.load(); };
  EXPECT_TRUE(comes_true([&] {
    const auto at = wakes();
    return at != never && at - clock_now() > some_time;
  })) << "it does not look again and again because something is due";
  EXPECT_TRUE(comes_true([&] {
    const auto due = clock_now() + some_time;
    pe.state().due = due;
    pe.events().notify_progress_thread();
    return comes_true([&] { return wakes() == due || clock_now() > due; }) && wakes() == due;
  }));
}

}  // namespace
}  // namespace trawl::progress
