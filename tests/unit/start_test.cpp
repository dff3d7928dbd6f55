// How runs begin: introductions, clocks, who is refused.
#include "rts/life/start.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/heap/code.hpp"
#include "rts/options/flags.hpp"
#include "tests/unit/recording_outbox.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using fabric::Kind;
using test::RecordingOutbox;

struct Starting {
  Starting(int self, int pes, const life::Introduction& own)
      : tables(self, pes), start(self, pes, own, tables, outbox) {}

  balance::Tables tables;
  RecordingOutbox outbox;
  life::Start start;
};

/// Two PEs; the other's clock is `ahead` of the main PE's. A message takes `to_main` or
/// `from_main`.
class TwoPes {
 public:
  explicit TwoPes(Nanos ahead) : ahead_(ahead) {
    main.start.begin(time_);
    other.start.begin(time_ + ahead);
  }

  void talk(const std::vector<Nanos>& latencies) {
    std::size_t turn = 0;
    while (!main.outbox.letters.empty() || !other.outbox.letters.empty()) {
      time_ += latencies[turn++ % latencies.size()];
      if (!other.outbox.letters.empty()) {
        const auto letter = other.outbox.take();
        deliver(letter, main.start, 1, time_);
      } else {
        const auto letter = main.outbox.take();
        deliver(letter, other.start, 0, time_ + ahead_);
      }
    }
  }

  Starting main{0, 2, {2.0, 4, "big", "west"}};
  Starting other{1, 2, {0.5, 1, "small", "east"}};

 private:
  static void deliver(const RecordingOutbox::Letter& letter, life::Start& to, int from, Nanos now) {
    switch (letter.kind) {
      case Kind::hello:
        return to.on_hello(letter.read<life::Hello>(), from, now);
      case Kind::ping:
        return to.on_ping(letter.read<life::Ping>(), from, now);
      case Kind::pong:
        return to.on_pong(letter.read<life::Pong>(), from, now);
      case Kind::welcome:
        return to.on_welcome(letter.read<life::Welcome>({0, 1, 2}), now);
      default:
        FAIL() << "unexpected " << fabric::name_of(letter.kind);
    }
  }

  Nanos ahead_;
  Nanos time_ = second;
};

TEST(Start, PesLearnAboutEachOther) {
  TwoPes pes(0);
  EXPECT_FALSE(pes.main.start.complete());
  pes.talk({10'000});
  for (const auto* pe : {&pes.main, &pes.other}) {
    EXPECT_TRUE(pe->start.complete());
    EXPECT_EQ(pe->tables.static_of(0).speed, 2.0);
    EXPECT_EQ(pe->tables.static_of(0).cores, 4);
    EXPECT_EQ(pe->tables.static_of(1).speed, 0.5);
    EXPECT_NE(pe->tables.static_of(0).cluster, pe->tables.static_of(1).cluster);
  }
  EXPECT_EQ(pes.main.tables.latency_to(1).one_way, 10'000);
  EXPECT_EQ(pes.other.tables.latency_to(0).one_way, 10'000);
}

TEST(Start, ClocksAreComparedByTheFastestPing) {
  for (const Nanos ahead : {Nanos{0}, 5 * second, -7 * second}) {
    TwoPes even(ahead);
    even.talk({10'000});
    EXPECT_EQ(even.main.start.main_clock().offset(0), 0);
    EXPECT_EQ(even.other.start.main_clock().offset(0), -ahead);
    // Most round trips are slow on one way; one is not.
    TwoPes uneven(ahead);
    uneven.talk({1'000, 900'000, 1'000, 1'000, 1'000, 700'000, 1'000, 500'000, 1'000});
    EXPECT_EQ(uneven.other.start.main_clock().offset(0), -ahead);
  }
}

TEST(Start, AnotherProgramIsRefused) {
  Writer hello;
  hello.put(heap::CodeTable::get().digest() + 1);
  Reader reader(hello.view());
  try {
    life::Hello::read(reader, {2, 0, 3});
    FAIL() << "it was let in";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "PE 2 runs a different program; start the same binary everywhere");
  }
}

TEST(Start, OtherOrdersAreRefused) {
  const auto meets = [](std::uint64_t own, std::uint64_t theirs) {
    Starting other(2, 3, {1, 1, "a", "b", theirs});
    other.start.begin(0);
    Starting main(0, 3, {1, 1, "a", "b", own});
    main.start.on_hello(other.outbox.take().read<life::Hello>(), 2, 0);
  };
  EXPECT_NO_THROW(meets(7, 7));
  EXPECT_NO_THROW(meets(7, 0)) << "it will say what is wrong with its own";
  EXPECT_NO_THROW(meets(0, 7));
  try {
    meets(7, 8);
    FAIL() << "it was let in";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("PE 2 was started with other arguments"), 0u) << e.what();
    for (const auto& flag : flags()) {
      const auto name = "--trawl:" + std::string(flag.name);
      EXPECT_TRUE(!flag.alike || !flag.needs_value() ||
                  std::string(e.what()).find(name) != std::string::npos)
          << name;
    }
    EXPECT_EQ(e.exit_code(), 2);
  }
}

TEST(Start, ImpossibleFactsAreBadBytes) {
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    Starting other(1, 2, {speed, 1, "a", "b"});
    other.start.begin(0);
    EXPECT_THROW(other.outbox.take().read<life::Hello>(), BadBytes);
  }
}

TEST(Start, ASecondIntroductionIsBadBytes) {
  TwoPes pes(0);
  pes.other.start.begin(0);
  const auto hello = pes.other.outbox.letters.back();
  pes.other.outbox.letters.pop_back();
  pes.talk({1'000, 1'000});
  EXPECT_THROW(pes.main.start.on_hello(hello.read<life::Hello>(), 1, 0), BadBytes);
}

TEST(Start, APeAloneIsCompleteAtOnce) {
  Starting alone(0, 1, {});
  alone.start.begin(0);
  EXPECT_TRUE(alone.start.complete());
  EXPECT_TRUE(alone.outbox.letters.empty());
}

}  // namespace
}  // namespace trawl
