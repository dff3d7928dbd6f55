// Which of a PE's idle workers polls for it.
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "rts/heap/collect.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

using Clock = std::chrono::steady_clock;

class ClockFabric final : public test::StillFabric {
 public:
  Nanos now() const noexcept override {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }
};

class TwoWorkers final : public test::StillHost {
 public:
  bool poll(sched::Worker* by) override {
    if (++polling_ > 1) at_once = true;
    ++polls_[static_cast<std::size_t>(by->index())];
    state_.last_poll = fabric_.now();
    if (while_polled) while_polled();
    --polling_;
    return true;
  }

  bool stopping() const noexcept override { return over; }

  sched::Worker& worker(std::size_t i) { return workers_[i]; }
  bool both_have_polled() const { return polls_[0] != 0 && polls_[1] != 0; }
  /// Takes a turn of its main loop: how often it has polled.
  int turn(std::size_t i) {
    const int before = polls_[i];
    sched::set_this_worker(&worker(i));
    worker(i).step();
    return polls_[i] - before;
  }

  std::function<void()> while_polled;
  std::atomic<bool> at_once{false};
  std::atomic<bool> over{false};

 private:
  std::atomic<int> polling_{0};
  std::array<std::atomic<int>, 2> polls_{};
  ClockFabric fabric_;
  progress::State state_;
  sched::Workers workers_{{.workers = 2}, *this, fabric_, state_};
};

TEST(Attendant, PollsForAllUntilItFindsSomethingToDo) {
  TwoWorkers pe;
  pe.worker(0).attach(std::make_unique<sched::Fiber>());
  EXPECT_EQ(pe.turn(0), 1);
  EXPECT_EQ(pe.turn(1), 0);
  EXPECT_EQ(pe.turn(0), 1);
  EXPECT_EQ(pe.turn(1), 0);
  int polls_beside_busy = 0;
  sched::set_this_worker(&pe.worker(0));
  pe.worker(0).start_root([&] {
    for (int i = 0; i < 3; ++i) polls_beside_busy += pe.turn(1);
    sched::set_this_worker(&pe.worker(0));
  });
  EXPECT_EQ(pe.turn(0), 1);
  EXPECT_EQ(polls_beside_busy, 3);
  EXPECT_EQ(pe.turn(0), 0);
  sched::set_this_worker(nullptr);
}

TEST(Attendant, IsAnotherWhenItParks) {
  TwoWorkers pe;
  std::atomic<bool> late{false};
  pe.while_polled = [&] {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (pe.both_have_polled() || late) pe.over = true;
  };
  std::array<std::thread, 2> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads[i] = std::thread([&pe, i] {
      heap::mutator();
      pe.worker(i).attach(std::make_unique<sched::Fiber>());
      pe.worker(i).loop(true);
    });
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (!pe.over && Clock::now() < end) std::this_thread::yield();
  late = true;
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(pe.both_have_polled());
  EXPECT_FALSE(pe.at_once);
}

}  // namespace
}  // namespace trawl
