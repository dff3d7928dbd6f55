#include "rts/pe.hpp"

#include <optional>
#include <utility>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/inline/error.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

/// One of two PEs, or alone; the other says nothing. A message may wait, to be received or to be
/// sent.
class Quiet final : public fabric::Fabric {
 public:
  int self() const noexcept override { return 0; }
  int size() const noexcept override { return pes; }
  std::size_t limit() const noexcept override { return 4096; }
  void send(int, std::span<const std::byte>) override {}
  std::optional<fabric::Arrival> poll() override {
    ++polls;
    return std::nullopt;
  }
  bool all_notify() const noexcept override { return can_notify; }
  bool waiting() const noexcept override { return message_waits; }
  bool under_way() const noexcept override { return send_waits; }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return ++clock; }

  mutable Nanos clock = 0;  // how often it was read
  int pes = 2;
  int polls = 0;
  bool can_notify = true;
  bool message_waits = false;
  bool send_waits = false;
};

/// PE 1 of 3, which will be unable to send to PE 2.
class Losing final : public test::StillFabric {
 public:
  int self() const noexcept override { return 1; }
  int size() const noexcept override { return 3; }
  std::optional<fabric::Arrival> poll() override {
    if (failing) throw Error("PE 2 is lost: it can't be sent to");
    return std::nullopt;
  }
  std::optional<fabric::Dead> dead() override { return std::exchange(dead_one, std::nullopt); }
  Nanos now() const noexcept override { return clock += 10'000'000; }

  mutable Nanos clock = 0;
  bool failing = false;
  std::optional<fabric::Dead> dead_one;
};

// PE 2 had seen the main PE die, and left.
TEST(Pe, NamesWhoDiedFirst) {
  for (const bool main_died : {false, true}) {
    Losing fabric;
    life::Outcome outcome;
    Pe pe(Pe::Setup{}, fabric, [&outcome](const life::Outcome& it) { outcome = it; });
    pe.poll(nullptr);
    if (main_died) fabric.dead_one = fabric::Dead{0};
    fabric.failing = true;
    for (int i = 0; i < 3; ++i) pe.poll(nullptr);
    fabric.failing = false;
    if (!main_died) fabric.dead_one = fabric::Dead{0};
    pe.poll(nullptr);
    pe.poll(nullptr);
    EXPECT_EQ(outcome.error.substr(0, 12), main_died ? "PE 0 is lost" : "PE 2 is lost");
  }
}

// More may come at a time than a poll takes, and each notifies only once.
TEST(Pe, ParksShortlyWhileAMessageWaitsThatNobodyLooksFor) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  const auto longest_park = [&] { return progress::longest_park(pe.workers().situation()); };
  constexpr Nanos millisecond = 1'000'000;
  EXPECT_GT(longest_park(), millisecond);
  fabric.message_waits = true;
  EXPECT_LT(longest_park(), millisecond);
  fabric.events().begin_polling();
  EXPECT_GT(longest_park(), millisecond);
  fabric.message_waits = false;
  fabric.can_notify = false;
  EXPECT_LT(longest_park(), millisecond) << "who polls may end that, and nobody notifies then";
}

// It costs as much as a short message. But when messages keep coming, what is due must not be
// forgotten.
TEST(Pe, WhoeverListenedDoesNotReadTheClockTwiceForAMessage) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  auto& worker = pe.workers()[0];
  const auto polls_at = [&](bool listened) {
    if (listened) worker.listen();
    pe.poll(&worker);
    return pe.workers().state().last_poll.load();
  };
  worker.step();  // from now on it attends
  fabric.message_waits = true;
  const auto first = polls_at(false);
  EXPECT_EQ(polls_at(true), first);
  const auto second = polls_at(true);
  EXPECT_GT(second, first);
  EXPECT_EQ(polls_at(true), second);
  fabric.message_waits = false;
  const auto third = polls_at(true);
  EXPECT_GT(third, second);
  fabric.message_waits = true;
  EXPECT_GT(polls_at(false), third);
}

// A thread may send in the middle of a long function; the progress thread may be parked for long.
TEST(Pe, NotifiesTheProgressThreadOfWhatIsStillBeingSent) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  const auto send = [&] {
    const std::lock_guard lock(pe.lock());
    pe.outbox().send(1, pe.outbox().open(fabric::Kind::work_available, 1));
  };
  const auto epoch = fabric.events().epoch();
  send();
  EXPECT_FALSE(pe.workers().state().under_way);
  EXPECT_EQ(fabric.events().epoch(), epoch);
  fabric.send_waits = true;
  send();
  EXPECT_TRUE(pe.workers().state().under_way);
  EXPECT_GT(fabric.events().epoch(), epoch);
}

// A thread may run for long, and from then on only those who send notify.
TEST(Pe, NotifiesTheProgressThreadOfWhatAWorkerLeaves) {
  struct Left {
    bool notified = false;
    int polls = 0;
  };
  const auto run_a_thread = [](Quiet& fabric) {
    Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
    auto& worker = pe.workers()[0];
    worker.attach(std::make_unique<sched::Fiber>());
    fabric.events().begin_polling();
    const auto epoch = fabric.events().epoch();
    Left left;
    pe.start_root([&] {
      left = {fabric.events().epoch() != epoch, fabric.polls};
      EXPECT_FALSE(fabric.events().polled());
      return 0;
    });
    worker.step();
    EXPECT_TRUE(fabric.events().polled());
    sched::set_this_worker(nullptr);
    return left;
  };
  Quiet nothing;
  EXPECT_FALSE(run_a_thread(nothing).notified);
  Quiet message;
  message.message_waits = true;
  const auto left = run_a_thread(message);
  EXPECT_TRUE(left.notified);
  EXPECT_GT(left.polls, nothing.polls) << "he tries to take it himself first";
  Quiet sending;
  sending.send_waits = true;
  EXPECT_TRUE(run_a_thread(sending).notified);
}

TEST(Pe, NotifiesTheProgressThreadOfItsMessagesToItself) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  const auto epoch = fabric.events().epoch();
  const std::lock_guard lock(pe.lock());
  pe.outbox().send(0, pe.outbox().open(fabric::Kind::work_available, 0));
  EXPECT_GT(fabric.events().epoch(), epoch);
}

long number(long n) {
  return n;
}

TEST(Pe, SparksThatOthersMayWaitForGoFirst) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  auto& worker = pe.workers()[0];
  worker.attach(std::make_unique<sched::Fiber>());
  fabric.events().begin_polling();
  const auto own = lazy<number>(1L);
  const auto theirs = lazy<number>(2L);
  worker.pool.push(own.node());
  pe.workers().add_imported(theirs.node());
  worker.step();
  EXPECT_TRUE(theirs.evaluated());
  EXPECT_FALSE(own.evaluated());
  sched::set_this_worker(nullptr);
}

TEST(Pe, AWorkerThatHasNotBegunIsAtNothingInCollections) {
  Quiet fabric;
  fabric.pes = 1;
  Pe::Setup setup;
  setup.workers = 2;
  Pe pe(setup, fabric, [](const life::Outcome&) {});
  pe.workers()[0].begin_life();
  constexpr Nanos long_time = 1'000'000;
  fabric.clock += long_time;
  pe.note_collection(true);
  fabric.clock += long_time;
  pe.note_collection(false);
  const auto statistics = pe.statistics();
  const auto busy = statistics[static_cast<std::size_t>(Count::busy_time)];
  EXPECT_NEAR(static_cast<double>(busy), long_time, 100);
  ASSERT_EQ(statistics.workers.size(), 2U);
  EXPECT_NEAR(static_cast<double>(statistics.workers[0].mutator), long_time, 100);
  EXPECT_NEAR(static_cast<double>(statistics.workers[0].collector), long_time, 100);
  EXPECT_EQ(statistics.workers[1], WorkerTimes());
}

/// The main PE, to which a HELLO comes that takes a while to be read.
class Greeted final : public test::StillFabric {
 public:
  explicit Greeted(std::size_t name) {
    Writer writer;
    fabric::Fragmenter::begin(writer);
    writer.put(fabric::Kind::hello);
    life::Hello hello;
    hello.facts.host = std::string(name, 'h');
    hello.write(writer);
    hello_ = writer.take();
  }
  std::size_t limit() const noexcept override { return 1U << 16U; }
  std::optional<fabric::Arrival> poll() override {
    if (std::exchange(greeted_, true)) return std::nullopt;
    clock += takes;
    return fabric::Arrival{1, hello_};
  }
  Nanos now() const noexcept override { return clock; }

  static constexpr Nanos takes = 1000;
  Nanos clock = 0;

 private:
  Bytes hello_;
  bool greeted_ = false;
};

TEST(Pe, MessagesAreNoIdleTime) {
  Greeted fabric(5000);
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  auto& worker = pe.workers()[0];
  worker.attach(std::make_unique<sched::Fiber>());
  worker.begin_life();
  fabric.events().begin_polling();
  worker.step();
  fabric.clock += 9 * Greeted::takes;
  EXPECT_EQ(
      pe.statistics().workers,
      (std::vector<WorkerTimes>{{.communication = Greeted::takes, .idle = 9 * Greeted::takes}}));
  worker.step();
  EXPECT_EQ(pe.statistics().workers[0].communication, Greeted::takes) << "this one was in vain";
  sched::set_this_worker(nullptr);
}

TEST(Pe, MessagesThatNoWorkerHandlesAreTheProgressThreads) {
  Greeted fabric(5000);
  Pe pe(Pe::Setup{}, fabric, [](const life::Outcome&) {});
  pe.poll(nullptr);
  pe.poll(nullptr);
  const auto statistics = pe.statistics();
  EXPECT_EQ(statistics[static_cast<std::size_t>(Count::progress_time)], Greeted::takes);
  EXPECT_EQ(statistics.workers[0].communication, 0U);
}

}  // namespace
}  // namespace trawl
