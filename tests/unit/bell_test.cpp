#include "rts/fabric/bell.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "rts/fabric/pipe.hpp"

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
// runs something long, with a doorman beside it. They come in a pipe; who looks takes a few, and
// may find the lock taken. A message that nobody looks for until the end of a long sleep is lost.
class House {
 public:
  explicit House(int messages) : messages_(messages) {}

  void run() {
    std::thread worker([this] { work(); });
    std::thread doorman([this] { watch(); });
    for (int sent = 0; sent < messages_ && lost_ == 0;) {
      for (int burst = sent % 7 == 0 ? 9 : 1; burst > 0; --burst, ++sent) {
        while (!in_.write(std::array{std::byte{1}})) std::this_thread::yield();
        bell_.ring();
      }
      // Not before somebody has looked: each burst meets the house in another situation.
      const auto until = clock_now() + for_ever / 4;
      while (seen_.load() < sent && clock_now() < until) std::this_thread::yield();
      if (seen_.load() < sent) ++lost_;
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
  static constexpr std::size_t lines = 32;
  static constexpr Nanos short_sleep = 50'000;  // with messages that have rung

  void look() {
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock) return;
    for (int i = 0; i < 4 && out_.read(); ++i) seen_.fetch_add(1);
  }

  Nanos longest_sleep() const { return out_.empty() ? for_ever : short_sleep; }

  template <class Sleep>
  void rest(Nanos longest, Sleep sleep) {
    const auto begun = clock_now();
    sleep(longest);
    if (clock_now() - begun >= for_ever) ++lost_;
  }

  void work() {
    unsigned turn = 0;
    bell_.attend();
    while (!over_) {
      const auto rings = bell_.rings();
      look();
      bell_.stop_attending();
      if (++turn % 3 == 0) {
        if (!out_.empty()) look();
        if (!out_.empty()) bell_.ring_doorman();
        for (unsigned i = 0; i < turn % 5000; ++i) __builtin_ia32_pause();
      } else {
        const auto longest = turn % 2 == 0 ? longest_sleep() : 1000;
        rest(longest, [&](Nanos time) { bell_.sleep_as_worker(0, rings, time); });
      }
      bell_.attend();
    }
    bell_.stop_attending();
  }

  void watch() {
    while (!over_) {
      const auto rings = bell_.rings();
      look();
      rest(longest_sleep(), [&](Nanos time) { bell_.sleep_as_doorman(rings, time); });
    }
  }

  struct alignas(Pipe::line) Line {
    std::byte bytes[Pipe::line]{};
  };

  int messages_;
  Bell bell_{};
  std::array<Line, lines + 1> memory_{};
  PipeWriter in_{reinterpret_cast<Pipe&>(memory_[0]), lines};
  PipeReader out_{reinterpret_cast<Pipe&>(memory_[0]), lines};
  std::mutex lock_;
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
