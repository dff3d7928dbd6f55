#include "rts/progress/event_count.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "rts/fabric/pipe.hpp"

namespace trawl::progress {
namespace {

constexpr Nanos for_ever = 20'000'000'000;

Nanos clock_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

TEST(EventCount, ReturnsAtOnceIfNotifiedMeanwhile) {
  EventCount events{};
  const auto seen = events.epoch();
  events.notify();
  const auto begun = clock_now();
  events.park_worker(0, seen, for_ever);
  events.park_progress_thread(seen, for_ever);
  EXPECT_LT(clock_now() - begun, for_ever);
}

TEST(EventCount, ParksForTheTimeGivenAtMost) {
  EventCount events{};
  const auto begun = clock_now();
  events.park_worker(0, events.epoch(), 3'000'000);
  EXPECT_GE(clock_now() - begun, 3'000'000);
}

// Names of workers are shared when there are more than 31.
TEST(EventCount, ReachesAnyOfManyWorkers) {
  EventCount events{};
  constexpr int first = 9;
  constexpr int second = first + 31;
  std::atomic<bool> notified{false};
  const auto park = [&](int index) {
    const auto seen = events.epoch();
    if (!notified) events.park_worker(index, seen, for_ever);
  };
  const auto begun = clock_now();
  std::thread other([&] { park(first); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread meant([&] { park(second); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  notified = true;
  events.notify_worker(second);
  meant.join();
  EXPECT_LT(clock_now() - begun, for_ever);
  events.notify_worker(first);
  other.join();
}

// What a PE does, reduced to its bones: a worker that looks for messages, parks, and now and then
// runs something long, with a progress thread beside it. They come in a pipe; who looks takes a
// few, and may find the lock taken. A message that nobody looks for until the end of a long park is
// lost.
class House {
 public:
  explicit House(int messages) : messages_(messages) {}

  void run() {
    std::thread worker([this] { work(); });
    std::thread progress_thread([this] { watch(); });
    for (int sent = 0; sent < messages_ && lost_ == 0;) {
      for (int burst = sent % 7 == 0 ? 9 : 1; burst > 0; --burst, ++sent) {
        while (!in_.write(std::array{std::byte{1}})) std::this_thread::yield();
        events_.notify();
      }
      // Not before somebody has looked: each burst meets the house in another situation.
      const auto until = clock_now() + for_ever / 4;
      while (seen_.load() < sent && clock_now() < until) std::this_thread::yield();
      if (seen_.load() < sent) ++lost_;
    }
    over_ = true;
    events_.notify_worker(0);
    events_.notify_progress_thread();
    worker.join();
    progress_thread.join();
  }

  /// Messages that nobody saw in time, and parks that no notification ended.
  int lost() const { return lost_; }

 private:
  static constexpr std::size_t lines = 32;
  static constexpr Nanos short_park = 50'000;  // with messages that were notified of

  void look() {
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock) return;
    for (int i = 0; i < 4 && out_.read(); ++i) seen_.fetch_add(1);
  }

  Nanos longest_park() const { return out_.empty() ? for_ever : short_park; }

  template <class Park>
  void rest(Nanos longest, Park park) {
    const auto begun = clock_now();
    park(longest);
    if (clock_now() - begun >= for_ever) ++lost_;
  }

  void work() {
    unsigned turn = 0;
    events_.begin_polling();
    while (!over_) {
      const auto epoch = events_.epoch();
      look();
      events_.end_polling();
      if (++turn % 3 == 0) {
        if (!out_.empty()) look();
        if (!out_.empty()) events_.notify_progress_thread();
        for (unsigned i = 0; i < turn % 5000; ++i) __builtin_ia32_pause();
      } else {
        const auto longest = turn % 2 == 0 ? longest_park() : 1000;
        rest(longest, [&](Nanos time) { events_.park_worker(0, epoch, time); });
      }
      events_.begin_polling();
    }
    events_.end_polling();
  }

  void watch() {
    while (!over_) {
      const auto epoch = events_.epoch();
      look();
      rest(longest_park(), [&](Nanos time) { events_.park_progress_thread(epoch, time); });
    }
  }

  struct alignas(fabric::Pipe::line) Line {
    std::byte bytes[fabric::Pipe::line]{};
  };

  int messages_;
  EventCount events_{};
  std::array<Line, lines + 1> memory_{};
  fabric::PipeWriter in_{reinterpret_cast<fabric::Pipe&>(memory_[0]), lines};
  fabric::PipeReader out_{reinterpret_cast<fabric::Pipe&>(memory_[0]), lines};
  std::mutex lock_;
  std::atomic<int> seen_{0};
  std::atomic<bool> over_{false};
  std::atomic<int> lost_{0};
};

TEST(EventCount, NoMessageIsSleptThrough) {
  House house(20'000);
  house.run();
  EXPECT_EQ(house.lost(), 0);
}

}  // namespace
}  // namespace trawl::progress
