// The simulated fabric: time, order, loss, and that equal seeds give equal runs.
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "rts/fabric/sim.hpp"

namespace trawl::fabric {
namespace {

Bytes numbered(std::uint32_t number, std::size_t size = sizeof(std::uint32_t)) {
  Writer writer;
  writer.put(number);
  auto bytes = writer.take();
  bytes.resize(size);
  return bytes;
}

/// What has arrived, and from whom.
struct Taken {
  int from;
  std::size_t size;
  std::uint32_t number;
};

Taken take(const Arrival& arrival) {
  const bool numbered = arrival.bytes.size() >= sizeof(std::uint32_t);
  return {arrival.from, arrival.bytes.size(),
          numbered ? Reader(arrival.bytes).get<std::uint32_t>() : 0};
}

/// Takes every message that is still on its way to `pe`, waiting for each.
std::vector<Taken> drain(SimNet& net, int pe) {
  std::vector<Taken> all;
  while (const auto next = net.next_arrival(pe)) {
    net.advance_to(pe, *next);
    if (const auto arrival = net.endpoint(pe).poll()) all.push_back(take(*arrival));
  }
  return all;
}

/// What a run shows: who got what from whom, when.
using Log = std::vector<std::tuple<int, int, std::uint32_t, Nanos>>;

/// Every PE sends to every other in turns, and polls now and then.
Log run(std::uint64_t seed, bool reorder) {
  SimNet net({.pes = 5, .seed = seed, .jitter = 20'000, .reorder = reorder, .speed = {1, 2, 0.5}});
  Log log;
  const auto note = [&](int pe, const Taken& taken) {
    log.emplace_back(pe, taken.from, taken.number, net.clock(pe));
  };
  for (std::uint32_t round = 0; round < 200; ++round) {
    for (int pe = 0; pe < 5; ++pe) {
      net.endpoint(pe).send((pe + 1 + static_cast<int>(round % 4)) % 5, numbered(round));
      net.advance_to(pe, net.done(pe, 700));
      if (const auto arrival = net.endpoint(pe).poll()) note(pe, take(*arrival));
    }
  }
  for (int pe = 0; pe < 5; ++pe) {
    for (const auto& taken : drain(net, pe)) note(pe, taken);
  }
  return log;
}

TEST(Sim, EqualSeedsGiveEqualRuns) {
  for (const bool reorder : {false, true}) {
    const auto first = run(7, reorder);
    EXPECT_EQ(first.size(), 1000u);
    EXPECT_EQ(first, run(7, reorder));
    EXPECT_NE(first, run(8, reorder));
  }
}

TEST(Sim, AMessageTakesLatencyAndItsLengthOverBandwidth) {
  SimNet net(
      {.pes = 2, .latency = 5'000, .bytes_per_nano = 0.5, .send_cost = 200, .poll_cost = 100});
  net.advance_to(0, net.done(0, 1'000));
  net.endpoint(0).send(1, Bytes(300));
  EXPECT_EQ(net.clock(0), 1'200);
  EXPECT_EQ(net.next_arrival(1), 1'200 + 5'000 + 600);
  EXPECT_EQ(net.next_arrival(0), std::nullopt);
}

TEST(Sim, NothingArrivesBeforeItsTime) {
  SimNet net({.pes = 2, .latency = 1'000, .send_cost = 0, .poll_cost = 1});
  net.endpoint(0).send(1, {});
  net.advance_to(1, 998);
  EXPECT_FALSE(net.endpoint(1).poll());
  const auto arrival = net.endpoint(1).poll();
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->from, 0);
  EXPECT_EQ(net.clock(1), 1'000);
  EXPECT_FALSE(net.endpoint(1).poll());
}

TEST(Sim, LatencyMayDependOnThePair) {
  SimNet net({.pes = 3, .send_cost = 0, .latency_between = [](int from, int to) {
                return Nanos{1'000} * (10 * from + to);
              }});
  net.endpoint(1).send(2, {});
  net.endpoint(2).send(1, {});
  EXPECT_EQ(net.next_arrival(2), 12'000);
  EXPECT_EQ(net.next_arrival(1), 21'000);
}

TEST(Sim, JitterStaysWithinItsBoundAndVaries) {
  SimNet net({.pes = 2, .latency = 100, .jitter = 50, .reorder = true, .send_cost = 0});
  std::vector<int> seen(51);
  for (int i = 0; i < 5'000; ++i) {
    net.endpoint(0).send(1, {});
    const auto late = net.next_arrival(1).value() - 100;
    ASSERT_GE(late, 0);
    ASSERT_LE(late, 50);
    ++seen[static_cast<std::size_t>(late)];
    drain(net, 1);
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(Sim, MessagesOfAPairOvertakeOnlyWhereTheyMay) {
  for (const bool reorder : {false, true}) {
    SimNet net({.pes = 3, .jitter = 50'000, .reorder = reorder});
    for (std::uint32_t i = 0; i < 500; ++i) {
      net.endpoint(0).send(2, numbered(i));
      net.endpoint(1).send(2, numbered(i));
    }
    std::vector<std::uint32_t> next(2);
    int overtaken = 0;
    const auto arrivals = drain(net, 2);
    EXPECT_EQ(arrivals.size(), 1'000u);
    for (const auto& arrival : arrivals) {
      auto& expected = next[static_cast<std::size_t>(arrival.from)];
      if (arrival.number != expected) ++overtaken;
      expected = arrival.number + 1;
    }
    if (reorder) {
      EXPECT_GT(overtaken, 100);
    } else {
      EXPECT_EQ(overtaken, 0);
    }
  }
}

TEST(Sim, NorWhenThoseBeforeHaveBeenReceived) {
  SimNet net({.pes = 2, .jitter = 50'000});
  std::uint32_t sent = 0;
  for (std::uint32_t received = 0; received < 500; ++received) {
    for (int i = 0; sent < 500 && i < 3; ++i) net.endpoint(0).send(1, numbered(sent++));
    net.advance_to(1, *net.next_arrival(1));
    net.advance_to(0, net.clock(1));
    const auto arrival = net.endpoint(1).poll();
    ASSERT_TRUE(arrival.has_value());
    ASSERT_EQ(take(*arrival).number, received);
  }
}

TEST(Sim, WorkIsScaledBySpeed) {
  SimNet net({.pes = 3, .speed = {4, 0.5}});
  for (int pe = 0; pe < 3; ++pe) net.advance_to(pe, net.done(pe, 1'000));
  EXPECT_EQ(net.clock(0), 250);
  EXPECT_EQ(net.clock(1), 2'000);
  EXPECT_EQ(net.clock(2), 1'000);
  EXPECT_EQ(net.endpoint(1).now(), 2'000);
  net.advance_to(1, 1);
  EXPECT_EQ(net.clock(1), 2'000);
}

TEST(Sim, PollingLoopsGetOn) {
  SimNet net({.pes = 2, .latency = 1'000'000});
  net.endpoint(0).send(1, {});
  int polls = 0;
  while (!net.endpoint(1).poll()) ++polls;
  EXPECT_NEAR(polls, 10'000, 10);
}

TEST(Sim, LostMessagesAreCountedAndNeverArrive) {
  SimNet net({.pes = 3, .lose = [](int from, int, std::span<const std::byte> message) {
                return from == 1 && message.size() == 8;
              }});
  net.endpoint(0).send(2, Bytes(8));
  net.endpoint(1).send(2, Bytes(8));
  net.endpoint(1).send(2, Bytes(9));
  EXPECT_EQ(net.in_flight(), 2u);
  const auto arrivals = drain(net, 2);
  ASSERT_EQ(arrivals.size(), 2u);
  EXPECT_EQ(arrivals[0].size + arrivals[1].size, 17u);
  EXPECT_EQ(net.in_flight(), 0u);
  EXPECT_EQ(net.counters().messages, 3u);
  EXPECT_EQ(net.counters().bytes, 25u);
  EXPECT_EQ(net.counters().lost, 1u);
}

TEST(Sim, WhatCannotBeIsRefused) {
  EXPECT_THROW(SimNet({.pes = 0}), Error);
  EXPECT_THROW(SimNet({.pes = 2, .latency = -1}), Error);
  EXPECT_THROW(SimNet({.pes = 2, .bytes_per_nano = 0}), Error);
  EXPECT_THROW(SimNet({.pes = 2, .speed = {1, 0}}), Error);
  SimNet net({.pes = 2, .limit = 10});
  EXPECT_THROW(net.endpoint(0).send(0, {}), Error);
  EXPECT_THROW(net.endpoint(0).send(2, {}), Error);
  EXPECT_THROW(net.endpoint(0).send(1, Bytes(11)), Error);
  EXPECT_NO_THROW(net.endpoint(0).send(1, Bytes(10)));
}

}  // namespace
}  // namespace trawl::fabric
