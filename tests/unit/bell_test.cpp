#include "rts/fabric/bell.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace trawl::fabric {
namespace {

constexpr Nanos for_ever = 20'000'000'000;

Nanos clock_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

TEST(Bell, ReturnsAtOnceIfItHasRungMeanwhile) {
  Bell bell{};
  const auto seen = bell.rings();
  bell.ring();
  const auto begun = clock_now();
  bell.sleep_as_worker(0, seen, for_ever);
  bell.sleep_as_doorman(seen, for_ever);
  EXPECT_LT(clock_now() - begun, for_ever);
}

TEST(Bell, SleepsAtMostTheTimeGiven) {
  Bell bell{};
  const auto begun = clock_now();
  bell.sleep_as_worker(0, bell.rings(), 3'000'000);
  EXPECT_GE(clock_now() - begun, 3'000'000);
}

// Names of workers are shared when there are more than 31.
TEST(Bell, ReachesAnyOfManyWorkers) {
  Bell bell{};
  constexpr int first = 9;
  constexpr int second = first + 31;
  std::atomic<bool> rung{false};
  const auto sleep = [&](int index) {
    const auto seen = bell.rings();
    if (!rung) bell.sleep_as_worker(index, seen, for_ever);
  };
  const auto begun = clock_now();
  std::thread other([&] { sleep(first); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread meant([&] { sleep(second); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  rung = true;
  bell.ring_worker(second);
  meant.join();
  EXPECT_LT(clock_now() - begun, for_ever);
  bell.ring_worker(first);
  other.join();
}

// What a PE does, reduced to its bones: a worker that looks for messages, sleeps, and now and then
// runs something long, with a doorman beside it. A message that nobody looks for until the end of a
// sleep is a lost ring.
class House {
 public:
  explicit House(int messages) : messages_(messages) {}

  void run() {
    std::thread worker([this] { work(); });
    std::thread doorman([this] { watch(); });
    for (int i = 0; i < messages_; ++i) {
      sent_.fetch_add(1);
      bell_.ring();
      if (i % 7 == 0) std::this_thread::yield();
      // Not before somebody has looked: each message meets the house in another situation.
      const auto until = clock_now() + for_ever / 4;
      while (seen_.load() != sent_.load() && clock_now() < until) std::this_thread::yield();
      if (seen_.load() != sent_.load()) {
        ++lost_;
        break;
      }
    }
    over_ = true;
    bell_.ring_worker(0);
    bell_.ring_doorman();
    worker.join();
    doorman.join();
  }

  /// Messages that nobody saw in time, and sleeps that no ring ended.
  int lost() const { return lost_; }

 private:
  void look() { seen_.store(sent_.load()); }

  void work() {
    unsigned turn = 0;
    bell_.attend();
    while (!over_) {
      const auto rings = bell_.rings();
      look();
      if (++turn % 3 == 0) {
        bell_.stop_attending();
        if (seen_.load() != sent_.load()) bell_.ring_doorman();
        for (unsigned i = 0; i < turn % 5000; ++i) __builtin_ia32_pause();
        bell_.attend();
      } else {
        bell_.stop_attending();
        const auto begun = clock_now();
        bell_.sleep_as_worker(0, rings, turn % 2 == 0 ? for_ever : 1000);
        if (clock_now() - begun >= for_ever) ++lost_;
        bell_.attend();
      }
    }
    bell_.stop_attending();
  }

  void watch() {
    while (!over_) {
      const auto rings = bell_.rings();
      look();
      const auto begun = clock_now();
      bell_.sleep_as_doorman(rings, for_ever);
      if (clock_now() - begun >= for_ever) ++lost_;
    }
  }

  int messages_;
  Bell bell_{};
  std::atomic<int> sent_{0};
  std::atomic<int> seen_{0};
  std::atomic<bool> over_{false};
  std::atomic<int> lost_{0};
};

TEST(Bell, NoMessageIsSleptThrough) {
  House house(20'000);
  house.run();
  EXPECT_EQ(house.lost(), 0);
}

}  // namespace
}  // namespace trawl::fabric
