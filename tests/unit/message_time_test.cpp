// What messages take of a worker's time.
#include "rts/sched/message_time.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/poll_clock.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

constexpr std::size_t long_one = sched::MessageTime::long_message;

TEST(MessageTime, LongOnesAreMeasuredEach) {
  sched::MessageTime time;
  for (int i = 0; i < 100; ++i) time.note(long_one, [] { return 1'000'000; });
  EXPECT_EQ(time.sum(), 100'000'000);
}

TEST(MessageTime, OfShortOnesSomeCountForAll) {
  sched::MessageTime time;
  int asked = 0;
  for (int i = 0; i < 1700; ++i) {
    const bool due = time.due();
    const int before = asked;
    time.note(100, [&] {
      ++asked;
      return i < 850 ? 300 : 500;
    });
    EXPECT_EQ(asked - before, due ? 1 : 0);
  }
  EXPECT_EQ(asked, 100);
  EXPECT_EQ(time.sum(), 1700 * 400);
}

// The other sees answers, say, and never a question, if it were every second, or 16th.
TEST(MessageTime, WhoWorksInTurnsIsSeenInAll) {
  sched::MessageTime time;
  for (int i = 0; i < 3400; ++i) time.note(100, [i] { return i % 2 == 0 ? 100 : 900; });
  EXPECT_EQ(time.sum(), 3400 * 500);
}

TEST(MessageTime, WhoLosesItsCoreDoesNotLoseItManyTimes) {
  sched::MessageTime time;
  time.note(100, [] { return 4'000'000; });
  EXPECT_LT(time.sum(), 4'000'000);
}

TEST(MessageTime, NothingTakesNoTime) {
  sched::MessageTime time;
  const auto never_asked = [] {
    ADD_FAILURE();
    return 1;
  };
  time.note(0, never_asked);
  EXPECT_EQ(time.sum(), 0);
  time.note(long_one, [] { return 700; });
  EXPECT_EQ(time.sum_before(), 0);
  time.note(0, never_asked);
  EXPECT_EQ(time.sum_before(), 700);
  time.forget();
  EXPECT_EQ(time.sum(), 0);
}

// ---- of a worker

Nanos clock_now = 0;

class ToldFabric final : public test::StillFabric {
 public:
  Nanos now() const noexcept override { return clock_now; }
};

long work(long n) {
  clock_now += 5000;
  return n;
}

TEST(MessageTime, CollectionsAreNoPartOfIt) {
  clock_now = 100;
  ToldFabric fabric;
  std::atomic<Nanos> last_poll{0};
  PollClock clock(fabric, last_poll);
  const auto mark = clock.mark();
  clock_now = 200;
  EXPECT_EQ(clock.since(mark), 100);
  clock.stood_still(120, 180);
  EXPECT_EQ(clock.since(mark), 40);
  EXPECT_EQ(last_poll, 180);
  const auto later = clock.mark();
  clock_now = 210;
  clock.stood_still(0, 199);  // who collects says so when others have begun again
  EXPECT_EQ(clock.since(later), 10);
}

/// Each poll takes 1000 ns and handles something; the second one brings a spark.
class Told final : public test::StillHost {
 public:
  Told() {
    worker().attach(std::make_unique<sched::Fiber>());
    worker().begin_life();
    fabric_.events().begin_polling();
  }
  ~Told() { sched::set_this_worker(nullptr); }

  bool poll(sched::Worker* by) override {
    state_.last_poll = clock_now;
    clock_now += 1000;
    by->messages.note(long_one, [] { return 1000; });
    if (++polls_ == 2) workers_.add_imported(spark_.node());
    return true;
  }
  sched::Worker& worker() { return workers_[0]; }

 private:
  int polls_ = 0;
  Lazy<long> spark_ = lazy<work>(1L);
  ToldFabric fabric_;
  progress::State state_;
  sched::Workers workers_{{}, *this, fabric_, state_};
};

// A worker's idle time ends when the poll begins that brings work.
TEST(MessageTime, IsIdleOrBusyTimeAsWhatItBrings) {
  clock_now = 0;
  Told pe;
  auto& worker = pe.worker();
  EXPECT_FALSE(worker.step());
  EXPECT_EQ(worker.messages_while_idle(), 1000);
  clock_now += 9000;
  EXPECT_TRUE(worker.step());  // until 16000
  EXPECT_EQ(worker.messages.sum(), 2000);
  EXPECT_EQ(worker.idle_time(), 10'000);
  EXPECT_EQ(worker.messages_while_idle(), 1000);
  EXPECT_FALSE(worker.step());
  EXPECT_EQ(worker.life_time(), 17'000);
  EXPECT_EQ(worker.idle_time(), 11'000);
  EXPECT_EQ(worker.messages_while_idle(), 2000);
  EXPECT_EQ(worker.messages.sum(), 3000);
}

}  // namespace
}  // namespace trawl
