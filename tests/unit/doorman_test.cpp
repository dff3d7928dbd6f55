// The doorman by himself: how often he looks.
#include "rts/sched/doorman.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

namespace trawl {
namespace {

using Clock = std::chrono::steady_clock;

/// A PE whose lock is always held by somebody else.
class Locked final : public sched::Host {
 public:
  int looks() const noexcept { return looks_; }
  sched::Crew& crew() noexcept { return crew_; }

  std::mutex& lock() noexcept override { std::abort(); }
  heap::Sharing& sharing() noexcept override { std::abort(); }
  Nanos now() const noexcept override {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }
  Nanos last_poll() const noexcept override { return now(); }
  bool poll(sched::Worker*) override {
    ++looks_;
    return false;
  }
  fabric::Bell& bell() noexcept override { return bell_; }
  Nanos longest_sleep() const noexcept override { std::abort(); }
  bool waiting() const noexcept override { return true; }
  bool under_way() const noexcept override { return true; }
  void fail(const std::string& why, int) override { FAIL() << why; }
  bool stopping() const noexcept override { return false; }
  trace::Log* log() noexcept override { return nullptr; }
  void (*pause() const noexcept)(sched::Worker&) override { return nullptr; }

 private:
  std::atomic<int> looks_{0};
  fabric::Bell bell_{};
  Options options_;
  sched::Crew crew_{options_, 1, *this};
};

// A worker that attends polls all the time: then the lock is seldom free, and the core is his.
TEST(Doorman, LooksSeldomBesideAnAttendant) {
  Locked pe;
  pe.bell().attend();
  const auto begin = Clock::now();
  {
    const sched::Doorman doorman(pe.crew());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto time = Clock::now() - begin;
  EXPECT_GT(pe.looks(), 0);
  EXPECT_LE(pe.looks(), time / std::chrono::microseconds(200));
}

}  // namespace
}  // namespace trawl
