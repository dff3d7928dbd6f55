// Bound: the best number that anybody has found is heard of everywhere.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/bounds.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

// ---- numbers as ranks

template <class T>
void keeps_order(const std::vector<T>& ascending) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto less = detail::rank_of<T, std::less<>>(ascending[i]);
    const auto greater = detail::rank_of<T, std::greater<>>(ascending[i]);
    EXPECT_EQ((detail::value_of<T, std::less<>>(less)), ascending[i]);
    EXPECT_EQ((detail::value_of<T, std::greater<>>(greater)), ascending[i]);
    if (i == 0) continue;
    EXPECT_GT(less, (detail::rank_of<T, std::less<>>(ascending[i - 1]))) << ascending[i];
    EXPECT_LT(greater, (detail::rank_of<T, std::greater<>>(ascending[i - 1]))) << ascending[i];
  }
}

template <class T>
using Limits = std::numeric_limits<T>;

TEST(Bound, RanksAreInTheOrderOfNumbers) {
  keeps_order<long>({Limits<long>::min(), -5, -1, 0, 1, 7, Limits<long>::max()});
  keeps_order<int>({Limits<int>::min(), -1, 0, 1, Limits<int>::max()});
  keeps_order<std::uint64_t>({0, 1, Limits<std::uint64_t>::max()});
  keeps_order<std::uint8_t>({0, 1, 255});
  keeps_order<double>({-Limits<double>::infinity(), -1e300, -1, -1e-300, 0, 1e-300, 1, 1e300,
                       Limits<double>::infinity()});
  keeps_order<float>({-1e30F, -1, 0, 0.5F, 1e30F});
  EXPECT_EQ((detail::rank_of<double, std::less<>>(-0.0)),
            (detail::rank_of<double, std::less<>>(0.0)));
}

TEST(Bound, OneOfNothingIsNotUsed) {
  const Bound<long> nothing;
  EXPECT_THROW(nothing.value(), Error);
  EXPECT_THROW(nothing.improve(-5), Error);
  EXPECT_THROW((Bound<double, std::greater<>>().improve(std::nan(""))), Error);
}

// ---- how news travels

/// The Bounds of some PEs, and the messages between them, which arrive in any order.
class Gossips {
 public:
  explicit Gossips(int pes) {
    for (int pe = 0; pe < pes; ++pe) seats_.push_back(std::make_unique<Seat>(*this, pe, pes));
  }
  sched::Bounds& operator[](int pe) { return seats_[static_cast<std::size_t>(pe)]->bounds; }

  std::set<int> gone;

  /// How many messages each PE has got.
  std::vector<int> deliver(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<int> got(seats_.size());
    while (!letters_.empty()) {
      std::swap(letters_[random() % letters_.size()], letters_.back());
      const auto letter = std::move(letters_.back());
      letters_.pop_back();
      if (gone.contains(letter.to)) continue;
      ++got[static_cast<std::size_t>(letter.to)];
      Reader reader(std::span(letter.bytes).subspan(1));
      (*this)[letter.to].on_found(
          sched::Found::read(reader, {letter.from, letter.to, static_cast<int>(seats_.size())}));
    }
    return got;
  }

 private:
  struct Letter {
    int from;
    int to;
    Bytes bytes;
  };
  struct Seat final : fabric::Outbox {
    Seat(Gossips& its_gossips, int its_pe, int pes)
        : gossips(its_gossips),
          pe(its_pe),
          bounds(
              pe, pes, false,
              [&its_gossips](int other) { return its_gossips.gone.contains(other); }, *this) {}
    Writer open(fabric::Kind kind, int) override {
      Writer message;
      message.put(kind);
      return message;
    }
    void send(int to, Writer message) override {
      gossips.letters_.push_back({pe, to, message.take()});
    }
    Gossips& gossips;
    int pe;
    sched::Bounds bounds;
  };

  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<Letter> letters_;
};

TEST(Bound, EachPeHearsOfAFindOnce) {
  for (int pes = 1; pes < 90; pes += 1 + pes / 8) {
    Gossips all(pes);
    const auto bound = all[0].make();
    const int finder = pes * 2 / 3;
    EXPECT_TRUE(all[finder].found(bound, 7));
    auto got = all.deliver(1);
    for (int pe = 0; pe < pes; ++pe) {
      EXPECT_EQ(all[pe].least(bound), 7U);
      EXPECT_EQ(got[static_cast<std::size_t>(pe)], pe == finder ? 0 : 1);
    }
    EXPECT_FALSE(all[0].found(bound, 7));
    EXPECT_FALSE(all[0].found(bound, 8));
  }
}

TEST(Bound, WhoeverFindsWhatInAnyOrderTheLeastIsEverywhere) {
  constexpr int pes = 40;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    Gossips all(pes);
    const std::vector bounds{all[0].make(), all[1].make(), all[1].make()};
    std::vector least(bounds.size(), sched::nothing_found);
    for (int i = 0; i < 100; ++i) {
      const auto which = random() % bounds.size();
      const auto number = random() % 1000;
      least[which] = std::min(least[which], number);
      all[static_cast<int>(random() % pes)].found(bounds[which], number);
    }
    all.deliver(seed);
    for (int pe = 0; pe < pes; ++pe)
      for (std::size_t i = 0; i < bounds.size(); ++i) EXPECT_EQ(all[pe].least(bounds[i]), least[i]);
  }
}

// Each would stop the news of the other.
TEST(Bound, TwoMayFindTheSameAtOnce) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    Gossips all(40);
    const auto bound = all[0].make();
    all[3].found(bound, 1000);
    all.deliver(seed);
    for (int finders = 0; finders < 3; ++finders)
      all[static_cast<int>(random() % 40)].found(bound, 7);
    all.deliver(seed);
    for (int pe = 0; pe < 40; ++pe) EXPECT_EQ(all[pe].least(bound), 7U) << seed << ' ' << pe;
  }
}

TEST(Bound, ThoseWhomOneThatIsGoneWouldTellAreTold) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    Gossips all(100);
    for (int n = 0; n < 30; ++n) all.gone.insert(1 + static_cast<int>(random() % 99));
    const auto bound = all[0].make();
    all[0].found(bound, 7);
    const auto got = all.deliver(random());
    for (int pe = 1; pe < 100; ++pe)
      EXPECT_EQ(got[static_cast<std::size_t>(pe)], all.gone.contains(pe) ? 0 : 1);
  }
}

TEST(Bound, WhoComesIsToldWhatIsKnown) {
  Gossips all(3);
  const auto one = all[1].make();
  const auto other = all[1].make();
  all.gone.insert(2);
  all[1].found(one, 5);
  all[0].found(other, 6);
  all.deliver(1);
  all.gone.clear();
  all[0].tell(2);
  all.deliver(1);
  EXPECT_EQ(all[2].least(one), 5U);
  EXPECT_EQ(all[2].least(other), 6U);
}

// ---- in a program

struct Heard {
  int pe = 0;
  long before = 0;
  long after = 0;
};

// News takes a millisecond.
Heard find(Bound<long> best, long number) {
  const long before = best.value();
  best.improve(number);
  Simulation::work(20'000'000);
  return {Simulation::here(), before, best.value()};
}

TEST(Bound, WhatOnePeHasFoundAllHearOf) {
  Simulation::Config config;
  config.net.pes = 4;
  config.net.latency = 1'000'000;
  Simulation grid(config);
  std::vector<Heard> heard;
  grid.run([&] {
    const Bound<long> best(100);
    EXPECT_EQ(best.value(), 100);
    EXPECT_FALSE(best.improve(101));
    std::vector<Lazy<Heard>> all;
    for (long i = 0; i < 8; ++i) all.push_back(par(lazy<find>(best, 50 - i)));
    for (const auto& each : all) heard.push_back(force(each));
    EXPECT_EQ(best.value(), 43);
  });
  grid.settle();
  std::vector<bool> was_there(4);
  for (const auto& each : heard) {
    was_there[static_cast<std::size_t>(each.pe)] = true;
    EXPECT_LE(each.before, 100);
    EXPECT_LE(each.after, 50);
  }
  EXPECT_EQ(was_there, std::vector<bool>(4, true));
  EXPECT_EQ(heard.back().after, 43);
}

TEST(Bound, TheLargestCanBeTheBestAndNotANumberIsNothing) {
  Simulation grid(Simulation::Config{});
  grid.run([] {
    const Bound<double, std::greater<>> best(-1.0);
    EXPECT_TRUE(best.improve(2.5));
    EXPECT_FALSE(best.improve(2.0));
    EXPECT_FALSE(best.improve(Limits<double>::quiet_NaN()));
    EXPECT_EQ(best.value(), 2.5);
    const Bound<double, std::greater<>> other(0.0);
    EXPECT_EQ(other.value(), 0.0);
    EXPECT_THROW(Bound<int>().value(), Error);
  });
  EXPECT_THROW(Bound<int>(1), Error) << "outside of a run";
}

}  // namespace
}  // namespace trawl
