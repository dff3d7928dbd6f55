// The structs of the protocol: what is written is read, and what nobody may say is not.
#include <initializer_list>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "rts/balance/tables.hpp"
#include "rts/fabric/fragments.hpp"
#include "rts/pe.hpp"
#include "tests/fuzz/every_message.hpp"

namespace trawl {
namespace {

using fabric::Envelope;
using fabric::Fate;
using fabric::Kind;
using fabric::Phase;
using heap::Reference;

constexpr Envelope envelope{2, 1, 3};

template <class Message>
Bytes written(const Message& message) {
  Writer writer;
  message.write(writer);
  return writer.take();
}

template <class Message>
Message read(const Bytes& bytes, const Envelope& from_to = envelope) {
  Reader reader(bytes);
  return Message::read(reader, from_to);
}

template <class Message>
bool refused(const Message& message, const Envelope& from_to = envelope) {
  const auto bytes = written(message);
  try {
    read<Message>(bytes, from_to);
    return false;
  } catch (const BadBytes&) {
    return true;
  }
}

constexpr bool has_packet(Kind kind) {
  return kind == Kind::schedule || kind == Kind::resume || kind == Kind::write;
}

TEST(Messages, WhatIsWrittenIsRead) {
  test::for_each_message([]<class Message>(const Message&) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto message = test::Sampler(seed, envelope).sample<Message>();
      EXPECT_EQ(read<Message>(written(message)), message) << fabric::name_of(Message::kind);
    }
  });
}

TEST(Messages, NoneEndsTooEarlyNorTooLate) {
  test::for_each_message([]<class Message>(const Message&) {
    const auto whole = written(test::Sampler(1, envelope).sample<Message>());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(read<Message>(part), BadBytes) << fabric::name_of(Message::kind) << size;
    }
    auto more = whole;
    more.push_back(std::byte{0});
    if (has_packet(Message::kind)) return;
    EXPECT_THROW(read<Message>(more), BadBytes) << fabric::name_of(Message::kind);
  });
}

// Else a fabric would have to cut it.
TEST(Messages, WhatMayNotBeLongFitsIntoAnyFabric) {
  test::for_each_message([]<class Message>(const Message&) {
    if (fabric::row_of(Message::kind).is(fabric::may_be_long)) return;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto own = written(test::Sampler(seed, envelope).sample<Message>()).size();
      EXPECT_LE(fabric::Fragmenter::prefix + 1 + balance::Tables::max_piggyback_bytes + own, 256U);
    }
  });
}

TEST(Messages, OfTheHeapFitTheirEnvelope) {
  const Reference here{{1, 0, 7}, 5};
  const Reference there{{2, 0, 8}, 5};
  const Reference nowhere{{3, 0, 8}, 5};
  EXPECT_FALSE(refused(heap::Fetch{here.at, 2, 0, here.at}));
  EXPECT_FALSE(refused(heap::Fetch{here.at, 2, 0, {0, 0, 9}})) << "sent on";
  EXPECT_TRUE(refused(heap::Fetch{here.at, 3, 0, here.at}));
  EXPECT_TRUE(refused(heap::Fetch{here.at, 2, 0, nowhere.at}));
  EXPECT_TRUE(refused(heap::Fetch{here.at, 1, 0, here.at})) << "who has it need not ask";
  EXPECT_TRUE(refused(heap::Fetch{{1, 1, 7}, 2, 0, here.at}));
  EXPECT_FALSE(refused(heap::Relay{there.at, 5, 0, 6}));
  EXPECT_TRUE(refused(heap::Relay{here.at, 5, 0, 6})) << "of another PE's value";
  EXPECT_TRUE(refused(heap::Relay{there.at, 5, 1, 6})) << "for who has it";
  EXPECT_TRUE(refused(heap::Relay{there.at, 5, 2, 6})) << "for whose it is";
  EXPECT_TRUE(refused(heap::Relay{there.at, 5, 3, 6}));
  EXPECT_FALSE(refused(heap::Resume{here.at, 5, 0}));
  EXPECT_FALSE(refused(heap::Resume{there.at, 0, 0}));
  EXPECT_TRUE(refused(heap::Resume{here.at, 0, 0})) << "a result without the spark's weight";
  EXPECT_TRUE(refused(heap::Resume{there.at, 5, 0}));
  EXPECT_TRUE(refused(heap::Resume{nowhere.at, 0, 0}));
  EXPECT_FALSE(refused(heap::Ack{{{here, there}}}));
  EXPECT_TRUE(refused(heap::Ack{}));
  EXPECT_TRUE(refused(heap::Ack{{{there, here}}}));
  EXPECT_TRUE(refused(heap::Ack{{{here, here}}}));
  EXPECT_TRUE(refused(heap::Ack{{{here, nowhere}}}));
  EXPECT_TRUE(refused(heap::Ack{{{{here.at, 0}, there}}}));
  EXPECT_TRUE(refused(heap::Ack{{{here, {there.at, 0}}}}));
  EXPECT_FALSE(refused(heap::Free{{{7, 1}}}));
  EXPECT_TRUE(refused(heap::Free{}));
  EXPECT_TRUE(refused(heap::Free{{{7, 0}}}));
}

// From PE 2 to PE 1.
TEST(Messages, WritesGetTheirPlacesFromTheObjectsHome) {
  const auto write = [](std::uint32_t home, std::uint64_t place, std::uint32_t writer) {
    return sched::Write{{home, 1}, place, writer, 1, 0};
  };
  EXPECT_FALSE(refused(write(1, 0, 2))) << "to its home";
  EXPECT_FALSE(refused(write(0, 7, 2))) << "and from there to all";
  EXPECT_TRUE(refused(write(1, 0, 3))) << "in line for another";
  EXPECT_TRUE(refused(write(1, 7, 2))) << "a place that PE 1 has not given";
  EXPECT_TRUE(refused(write(0, 0, 2))) << "PE 1 gives none";
  EXPECT_TRUE(refused(write(3, 7, 2)));
  EXPECT_TRUE(refused(write(0, 7, 3)));
  EXPECT_TRUE(refused(sched::Write{{0, 0}, 7, 2, 1, 0})) << "of no object";
}

// As many as four thousand million, of which none has come.
TEST(Messages, CountsAreNotBelieved) {
  for (const std::uint32_t count : {0U, 2U, 1U << 28U, std::numeric_limits<std::uint32_t>::max()}) {
    auto ack = written(heap::Ack{{{{{1, 0, 7}, 5}, {{2, 0, 8}, 5}}}});
    std::memcpy(ack.data(), &count, sizeof count);
    EXPECT_THROW(read<heap::Ack>(ack), BadBytes);
    auto free = written(heap::Free{{{7, 1}}});
    std::memcpy(free.data(), &count, sizeof count);
    EXPECT_THROW(read<heap::Free>(free), BadBytes);
    auto bye = written(life::Bye{{{}, {{1, 2, 3, 4}}}});
    std::memcpy(bye.data() + sizeof(Statistics::values), &count, sizeof count);
    EXPECT_THROW(read<life::Bye>(bye), BadBytes);
    auto fail = written(life::Fail{1, "w"});
    std::memcpy(fail.data() + sizeof(int), &count, sizeof count);
    EXPECT_THROW(read<life::Fail>(fail), BadBytes);
  }
}

TEST(Messages, OfLifeArePossible) {
  constexpr Nanos century = 3'155'760'000'000'000'000;
  for (const Nanos time : {century, -century, std::numeric_limits<Nanos>::min()}) {
    EXPECT_TRUE(refused(life::Ping{time}));
    EXPECT_TRUE(refused(life::Pong{time, 0}));
    EXPECT_TRUE(refused(life::Pong{0, time}));
  }
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    EXPECT_TRUE(refused(life::Hello{{speed, 1, "a", "b"}}));
  EXPECT_TRUE(refused(life::Hello{{1, 0, "a", "b"}}));
  EXPECT_TRUE(refused(life::Fail{0, "why"}));
  EXPECT_TRUE(refused(life::Fail{256, "why"})) << "0, as a shell sees it";
}

TEST(Messages, AWelcomeTellsOfAllPes) {
  using balance::Alike;
  const auto refuses = [](std::vector<Alike> all) {
    return refused(life::Welcome{0, 0, 0, 0, false, all});
  };
  EXPECT_FALSE(refused(life::Welcome{-5, -5, 0, 0, false, {{.pes = 3}}}));
  EXPECT_TRUE(refused(life::Welcome{0, 0, -1, 0, false, {{.pes = 3}}}));
  EXPECT_FALSE(refuses({{.pes = 1}, {.times = 2, .step = 1}}));
  EXPECT_TRUE(refuses({{.pes = 2}}));
  EXPECT_TRUE(refuses({{.pes = 4}}));
  EXPECT_TRUE(refuses({{.times = 1U << 31U, .pes = 2}})) << "in 32 bits none";
  EXPECT_TRUE(refuses({{.pes = 0}, {.pes = 3}}));
  EXPECT_TRUE(refuses({{.times = 0}, {.pes = 3}}));
  EXPECT_TRUE(refuses({{.pes = 3, .step = -1}}));
  EXPECT_TRUE(refuses({{.pes = 3, .step = 3}})) << "there are as many clusters as PEs at most";
  EXPECT_TRUE(refuses({{.times = 3, .step = std::numeric_limits<std::int32_t>::max()}}));
  EXPECT_TRUE(refuses({{.pes = 3, .cores = 0}}));
  EXPECT_TRUE(refuses({{.pes = 3, .speed = 0}}));
}

// ---- the table ---------------------------------------------------------------------------------

TEST(Kinds, HaveANameEach) {
  std::set<std::string_view> names;
  for (const auto& row : fabric::table::rows) names.insert(row.name);
  EXPECT_EQ(names.size(), fabric::kinds + 1U);
}

TEST(Kinds, GoWhereTheyMay) {
  const auto goes = [](Kind kind, int from, int to) { return fabric::row_of(kind).goes(from, to); };
  EXPECT_TRUE(goes(Kind::fish, 2, 1));
  EXPECT_TRUE(goes(Kind::fish, 1, 1)) << "to itself";
  EXPECT_TRUE(goes(Kind::hello, 1, 0));
  EXPECT_FALSE(goes(Kind::hello, 0, 1));
  EXPECT_FALSE(goes(Kind::hello, 2, 1));
  EXPECT_FALSE(goes(Kind::hello, 0, 0));
  EXPECT_TRUE(goes(Kind::finish, 0, 2));
  EXPECT_FALSE(goes(Kind::finish, 2, 0));
  EXPECT_FALSE(goes(Kind::finish, 0, 0));
  EXPECT_TRUE(goes(Kind::fail, 0, 1));
  EXPECT_TRUE(goes(Kind::fail, 1, 0));
  EXPECT_FALSE(goes(Kind::fail, 2, 1));
}

/// One of two PEs; the test is the other.
class Stranger final : public fabric::Fabric {
 public:
  explicit Stranger(int self) : self_(self) {}

  int self() const noexcept override { return self_; }
  int size() const noexcept override { return 2; }
  std::size_t limit() const noexcept override { return 4096; }
  void send(int, std::span<const std::byte> message) override { sent.push_back(copy_of(message)); }
  std::optional<fabric::Arrival> poll() override {
    if (to_come.empty()) return std::nullopt;
    last_ = std::move(to_come.front());
    to_come.erase(to_come.begin());
    return fabric::Arrival{1 - self_, last_};
  }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return ++clock_; }

  std::vector<Bytes> sent;
  std::vector<Bytes> to_come;

 private:
  int self_;
  Bytes last_;
  mutable Nanos clock_ = 1'000'000;
};

/// A PE in some phase of a run, and what a stranger tells it.
class Addressed {
 public:
  Addressed(int self, Phase phase)
      : fabric_(self), pe_(setup(), fabric_, [](const life::Outcome&) {}) {
    if (phase == Phase::joining) return;
    if (self == 0)
      hear(life::Hello{{1, 1, "h", "c"}});
    else
      hear(life::Welcome{0, 0, 0, 0, false, {{.pes = 2}}});
    for (int pings = 0; pings < 10 && !pe_.joined(); ++pings) hear(life::Pong{1'000'000, 0});
    EXPECT_TRUE(pe_.joined());
    if (phase == Phase::stopping && self == 0) pe_.finish(0);
    if (phase == Phase::stopping && self != 0) hear(life::Finish());
    fabric_.sent.clear();
  }

  template <class Message>
  void hear(const Message& message) {
    Writer writer;
    fabric::Fragmenter::begin(writer);
    writer.put(Message::kind);
    if (fabric::row_of(Message::kind).is(fabric::tables))
      balance::Tables(1 - pe_.self(), 2).write_piggyback(writer, 0, {}, pe_.self());
    message.write(writer);
    hear(writer.take());
  }
  void hear(Bytes bytes) {
    fabric_.to_come.push_back(std::move(bytes));
    pe_.poll(nullptr);
  }

  /// Why the run can't go on, if the PE says so.
  std::string complaint() const {
    for (const auto& bytes : fabric_.sent) {
      const auto message = std::span<const std::byte>(bytes).subspan(fabric::Fragmenter::prefix);
      if (fabric::row_of(message).kind != Kind::fail) continue;
      Reader reader(message.subspan(1));
      return life::Fail::read(reader, {pe_.self(), 1 - pe_.self(), 2}).why;
    }
    return {};
  }

 private:
  static Pe::Setup setup() {
    Pe::Setup setup;
    setup.pause = [](sched::Worker&, sched::Moment) {};
    return setup;
  }

  Stranger fabric_;
  Pe pe_;
};

TEST(Kinds, ComeInTheirPhaseAndFromTheirSender) {
  for (const int self : {0, 1})
    for (const auto phase : {Phase::joining, Phase::running, Phase::stopping})
      test::for_each_message([&]<class Message>(const Message&) {
        const auto& row = fabric::row_of(Message::kind);
        const bool allowed = row.fate(phase) != Fate::refuse && row.goes(1 - self, self);
        if (allowed && row.fate(phase) == Fate::take) return;  // others test what becomes of it
        Addressed pe(self, phase);
        pe.hear(test::Sampler(3, {1 - self, self, 2}).sample<Message>());
        const std::string blame = "PE " + std::to_string(1 - self) + " sent PE " +
                                  std::to_string(self) + " a bad " + std::string(row.name) + ": ";
        // What waits is refused when its turn comes.
        const bool quiet = allowed || row.fate(phase) == Fate::wait;
        EXPECT_EQ(pe.complaint().substr(0, blame.size()), quiet ? "" : blame);
      });
}

TEST(Kinds, ThatDoNotExistAreRefused) {
  for (const auto phase : {Phase::joining, Phase::running, Phase::stopping}) {
    Addressed pe(0, phase);
    Writer message;
    fabric::Fragmenter::begin(message);
    message.put(std::uint8_t{fabric::kinds});
    message.put(std::uint8_t{0});
    pe.hear(message.take());
    EXPECT_EQ(pe.complaint(), "PE 1 sent PE 0 a bad message: it is of unknown kind");
  }
}

TEST(Kinds, WhatMayNotBeLongMayNotComeInFragments) {
  for (const auto& row : fabric::table::rows) {
    Addressed pe(0, Phase::running);
    Writer fragment;
    fragment.put('F');
    fragment.put(std::uint8_t{0});
    for (const std::uint64_t part : {1U, 0U, 10'000U})
      fragment.put(part);  // the first of 10,000 bytes
    fragment.put(row.kind);
    auto bytes = fragment.take();
    bytes.resize(4096);
    pe.hear(std::move(bytes));
    const auto why = "bad message from PE 1: " + std::string(row.name) + " in fragments";
    EXPECT_EQ(pe.complaint(), row.is(fabric::may_be_long) ? "" : why);
  }
}

}  // namespace
}  // namespace trawl
