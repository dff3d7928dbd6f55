// Lists of many more elements than a spark pool has room for are shared all the same.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace {

using trawl::Count;
using trawl::Lazy;
using trawl::Nanos;
using trawl::Simulation;

constexpr long length = 20'000;
constexpr Nanos piece = 20'000;
constexpr std::size_t room = 256;

long work(long n) {
  Simulation::work(piece);
  return n;
}
long plus(long a, long b) {
  return a + b;
}

std::vector<long> numbers() {
  std::vector<long> all(length);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

trawl::Statistics sum_of(Simulation& grid) {
  trawl::Statistics sum{};
  for (int pe = 0; pe < grid.size(); ++pe) {
    const auto statistics = grid.pe(pe).statistics();
    for (std::size_t i = 0; i < trawl::counts; ++i) sum[i] += statistics[i];
  }
  return sum;
}

/// How many times faster `root`, which has `length` pieces of work, is on so many PEs: the mean of
/// some runs.
void gains(int pes, double at_least, const std::function<void()>& root) {
  constexpr unsigned runs = 5;
  double sum = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    Simulation::Config config;
    config.net.pes = pes;
    config.net.seed = seed;
    config.options.spark_pool = room;
    Simulation grid(config);
    Nanos time = 0;
    grid.run([&] {
      const Nanos begun = Simulation::clock_here();
      root();
      time = Simulation::clock_here() - begun;
    });
    grid.settle();
    sum += static_cast<double>(length * piece) / static_cast<double>(time);
    EXPECT_EQ(sum_of(grid)[static_cast<std::size_t>(Count::sparks_ignored)], 0);
  }
  EXPECT_GT(sum / runs, at_least);
}

/// Each value that is fetched from over there by itself takes a round trip. Returns how many were.
std::int64_t fetched_from_afar(unsigned seed, const std::function<void()>& root) {
  Simulation::Config config;
  config.net.grid = trawl::fabric::parse_grid(R"({
    "clusters": [{"name": "here", "pes": 2, "latency": "20 us", "bandwidth": "50 MB/s"},
                 {"name": "there", "pes": 2, "latency": "20 us", "bandwidth": "50 MB/s"}],
    "between": {"latency": "10 ms", "bandwidth": "10 MB/s"}})",
                                              "two clusters");
  config.net.seed = seed;
  config.options.spark_pool = room;
  Simulation grid(config);
  grid.run([&] {
    root();
    EXPECT_GT(grid.pe(2).statistics()[static_cast<std::size_t>(Count::threads_created)], 0U);
  });
  grid.settle();
  return static_cast<std::int64_t>(sum_of(grid)[static_cast<std::size_t>(Count::fetch_sent)]);
}

TEST(LongLists, ValuesComeHomeWithTheirPart) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const auto fetched = fetched_from_afar(seed, [] {
      const auto all = trawl::lazy_map<work>(numbers());
      trawl::apply(all, trawl::par_list(trawl::rseq));
      long sum = 0;
      for (const auto& each : all) sum += trawl::force(each);
      EXPECT_EQ(sum, length * (length - 1) / 2);
    });
    EXPECT_LT(fetched, length / 20);
  }
}

TEST(LongLists, WhatIsMappedComesHomeInGroups) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    EXPECT_LT(
        fetched_from_afar(seed, [] { EXPECT_EQ(trawl::par_map<work>(numbers()), numbers()); }),
        length / 20);
    EXPECT_LT(fetched_from_afar(seed,
                                [] {
                                  EXPECT_EQ((trawl::par_map_reduce<work, plus>(0L, length, 1, 0L)),
                                            length * (length - 1) / 2);
                                }),
              length / 200);
  }
}

TEST(LongLists, ParMap) {
  const auto root = [] { EXPECT_EQ(trawl::par_map<work>(numbers()), numbers()); };
  gains(2, 1.8, root);
  gains(4, 2, root);
}

TEST(LongLists, ParMapOfChunks) {
  gains(2, 1.8, [] { EXPECT_EQ(trawl::par_map<work>(numbers(), 3), numbers()); });
}

TEST(LongLists, ParMapReduce) {
  gains(2, 1.9, [] {
    EXPECT_EQ((trawl::par_map_reduce<work, plus>(0L, length, 1, 0L)), length * (length - 1) / 2);
  });
}

TEST(LongLists, ParList) {
  gains(2, 1.5, [] {
    const auto xs = trawl::lazy_map<work>(numbers());
    trawl::apply(xs, trawl::par_list(trawl::rseq));
    EXPECT_EQ(trawl::force_all(xs), numbers());
  });
}

TEST(LongLists, ParListChunk) {
  gains(2, 1.5, [] {
    const auto xs = trawl::lazy_map<work>(numbers());
    trawl::apply(xs, trawl::par_list_chunk(10, trawl::rdeepseq));
    EXPECT_EQ(trawl::force_all(xs), numbers());
  });
}

// Its values come home one by one.
TEST(LongLists, ParBuffer) {
  gains(2, 0.9, [] {
    long at = 0;
    for (const long n :
         trawl::apply(trawl::lazy_map<work>(numbers()), trawl::par_buffer(length, trawl::rseq)))
      EXPECT_EQ(n, at++);
  });
}

/// Lists in lists: each goes on as a list of pieces.
std::vector<long> inner(long n) {
  return trawl::par_map<work>(std::vector<long>(length / 20, n));
}

TEST(LongLists, OneInAnother) {
  gains(2, 1.8, [] {
    std::vector<long> outer(20);
    std::iota(outer.begin(), outer.end(), 0);
    const auto lists = trawl::par_map<inner>(outer);
    for (std::size_t i = 0; i < lists.size(); ++i)
      EXPECT_EQ(lists[i], std::vector<long>(length / 20, static_cast<long>(i)));
  });
}

// Sparks are weak, and nobody but the pool refers to those of a list's chunks or halves.
template <class Strategy>
void outlives_a_collection(const Strategy& strategy, long n) {
  Simulation::Config config;
  config.net.pes = 2;
  config.options.spark_pool = room;
  Simulation grid(config);
  grid.run([&] {
    std::vector<long> few(static_cast<std::size_t>(n));
    const auto xs = trawl::lazy_map<work>(few);
    trawl::apply(xs, strategy);
    trawl::heap::clear_finished_calls<4096>();
    trawl::heap::collect();
    for (int i = 0; i < 100; ++i) Simulation::work(n * piece / 5);
    EXPECT_GT(std::count_if(xs.begin(), xs.end(),
                            [](const auto& x) {
                              return x.evaluated() ||
                                     x.node()->state() == trawl::heap::State::fetch_me;
                            }),
              n / 2);
  });
  grid.settle();
}

TEST(LongLists, SparksOfStrategiesOutliveACollection) {
  outlives_a_collection(trawl::par_list_chunk(5, trawl::rseq), 200);
  outlives_a_collection(trawl::par_list([](const Lazy<long>& x) { trawl::force(x); }), 50);
  outlives_a_collection(trawl::par_list(trawl::rseq), 1000);
}

}  // namespace
