// Who gets how much: by what is measured, as far as there is memory, and where moving pays.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "profiles/decisions.hpp"
#include "profiles/read.hpp"
#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Simulation;
using trawl::detail::cut;
using trawl::detail::cut_to_fit;
using trawl::detail::held;
using namespace trawl::test;

constexpr auto endless = std::numeric_limits<double>::infinity();

TEST(Shares, AreCappedByMemory) {
  const std::vector<double> costs(64, 1);
  const std::vector<double> bytes(64, 1e6);
  const std::vector<double> equal{1, 1, 1, 1};
  EXPECT_EQ(cut_to_fit(costs, equal, bytes, std::vector<double>(4, endless)), cut(costs, equal));
  // One has room for four; the others share the rest.
  const auto owners = cut_to_fit(costs, equal, bytes, std::vector<double>{endless, 4e6, 1e9, 1e9});
  EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end())) << "contiguous";
  const auto used = held(bytes, owners, 4);
  EXPECT_LE(used[1], 4e6);
  EXPECT_GE(used[1], 3e6);
  for (const auto p : {0U, 2U, 3U}) EXPECT_NEAR(used[p], 20e6, 1e6);
  // There is not room for all anywhere: each is as full as the others.
  const auto full =
      held(bytes, cut_to_fit(costs, equal, bytes, std::vector<double>{8e6, 8e6, 16e6, 0.5e6}), 4);
  EXPECT_NEAR(full[2], 2 * full[0], 1e6);
  EXPECT_LE(full[3], 1e6);
}

TEST(Shares, FitWhateverIsCut) {
  std::mt19937_64 random(1);
  const auto some = [&random](double most) {
    return std::uniform_real_distribution<double>(0.01, most)(random);
  };
  for (int i = 0; i < 300; ++i) {
    std::vector<double> costs;
    std::vector<double> bytes;
    double all = 0;
    for (int shard = 0; shard < 200; ++shard) {
      costs.push_back(some(3));
      bytes.push_back(some(2));
      all += bytes.back();
    }
    std::vector<double> strengths;
    std::vector<double> rooms;
    const auto places = 1 + random() % 8;
    for (std::size_t p = 0; p < places; ++p) {
      strengths.push_back(some(4));
      // For twice their fair share at the least, so that there is room for all and some slack.
      rooms.push_back(2 * all / static_cast<double>(places) + some(2 * all));
    }
    const auto owners = cut_to_fit(costs, strengths, bytes, rooms);
    EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end()));
    const auto used = held(bytes, owners, places);
    for (std::size_t p = 0; p < places; ++p) EXPECT_LE(used[p], rooms[p]) << "case " << i;
  }
}

// ---- moving

using trawl::sched::Way;

Way far_and_near(std::size_t from, std::size_t to) {
  return from / 2 == to / 2 ? Way{1000, 1} : Way{1'000'000, 0.1};
}

TEST(Moving, TakesWhatTheSlowestPlaceOrLinkTakes) {
  using trawl::detail::moving_time;
  const std::vector<std::uint32_t> clusters{0, 0, 1, 1};
  const std::vector<double> bytes(4, 1000);
  const auto time = [&](const std::vector<std::size_t>& from, const std::vector<std::size_t>& to) {
    return moving_time(from, to, bytes, clusters, far_and_near);
  };
  EXPECT_EQ(time({0, 0, 1, 2}, {0, 0, 1, 2}), 0) << "nothing moves";
  EXPECT_EQ(time({0, 0, 2, 2}, {0, 1, 2, 3}), 2000 + 1000) << "two pairs at the same time";
  EXPECT_EQ(time({0, 0, 2, 2}, {1, 1, 2, 2}), 2000 + 2000) << "one after the other";
  EXPECT_EQ(time({0, 1, 2, 3}, {2, 3, 2, 3}), 2'000'000 + 20'000) << "over one link";
}

trawl::detail::Measured uneven() {
  trawl::detail::Measured last;
  for (std::size_t i = 0; i < 64; ++i) {
    last.owners.push_back(i / 16);
    last.loads.push_back(i < 16 ? 30'000 : 10'000);  // ns
    last.costs.push_back(last.loads.back());
  }
  last.strengths = last.workers = {1, 1, 1, 1};
  last.rooms.assign(4, endless);
  last.clusters = {0, 0, 1, 1};
  return last;
}

TEST(Moving, HasToPayForItself) {
  const auto last = uneven();
  const std::vector<double> small(64, 100);
  const std::vector<double> large(64, 1e6);
  const auto plan = [&](const std::vector<double>& bytes, double steps, auto way) {
    return trawl::detail::rebalanced(last, bytes, last.strengths, steps, way);
  };
  const auto near = [](std::size_t, std::size_t) { return Way{1000, 1}; };
  const auto moves = plan(small, 10, near);
  EXPECT_TRUE(moves.pays);
  EXPECT_DOUBLE_EQ(moves.before, 16 * 30'000);
  EXPECT_NEAR(moves.after, 16 * 15'000, 15'000);
  EXPECT_FALSE(plan(large, 10, near).pays) << "bytes";
  EXPECT_FALSE(plan(small, 10, far_and_near).pays) << "latency: a step is shorter";
  EXPECT_FALSE(plan(small, 1, [](std::size_t, std::size_t) { return Way{120'000, 1}; }).pays);
  EXPECT_TRUE(plan(small, 4,
                   [](std::size_t, std::size_t) {
                     return Way{120'000, 1};
                   })
                  .pays)
      << "after a few steps";
  EXPECT_FALSE(plan(small, 10,
                    [](std::size_t, std::size_t) {
                      return Way{1000, 1e-4};
                    })
                   .pays)
      << "bandwidth";
}

// Far more bytes than four steps are worth; of many it would have been.
TEST(Moving, IsMadeUpForWhenItWouldHavePaid) {
  auto last = uneven();
  const std::vector<double> bytes(64, 1e5);
  const auto way = [](std::size_t, std::size_t) { return Way{1000, 1}; };
  const auto plan = [&](double steps) {
    return trawl::detail::rebalanced(last, bytes, last.strengths, steps, way);
  };
  const auto moving =
      trawl::detail::moving_time(last.owners, plan(100).owners, bytes, last.clusters, way);
  double lost = 0;
  for (int step = 0; step < 100 && !plan(100).pays; ++step) {
    lost += plan(100).before - plan(100).after;
    last.missed = plan(100).missed;
  }
  EXPECT_TRUE(plan(100).pays);
  EXPECT_GT(lost, 0) << "not at once";
  EXPECT_LT(lost, moving);
  EXPECT_FALSE(plan(4).pays) << "too few to come";
  last.loads.assign(64, 1);
  EXPECT_EQ(plan(100).missed, 0) << "nothing is to be gained any more";
}

TEST(Costs, OfAShortStepAreBelievedWhenTheyAreSeenAgain) {
  using trawl::detail::believed;
  const std::vector<std::size_t> owners{0, 0, 1, 1};
  const std::vector<double> usual(4, 1e6);
  const std::vector<double> disturbed{1e6, 9e8, 1e6, 2e6};
  EXPECT_EQ(believed(disturbed, {}, owners, 2), disturbed) << "nothing else is known";
  EXPECT_EQ(believed(disturbed, usual, owners, 2), usual);
  EXPECT_EQ(believed(disturbed, disturbed, owners, 2), disturbed);
  const std::vector<double> slow{9e8, 9e8, 1e6, 2e6};
  EXPECT_EQ(believed(slow, usual, owners, 2), (std::vector<double>{9e8, 9e8, 1e6, 1e6}))
      << "PE 0 took more than a second";
}

// ---- on grids

class DistBalance : public Skeletons {};

struct Block {
  std::array<std::int64_t, 1000> numbers{};
};
Block block(std::size_t) {
  return {};
}
int where(const Block&) {
  Simulation::work(100'000);
  return Simulation::here();
}

TEST_P(DistBalance, WhoHasLittleMemoryGetsLess) {
  if (alone()) return;
  auto small = config();
  small.options.copies = 0;
  const std::int64_t room = 50 * sizeof(Block);
  small.heap_bound.assign(static_cast<std::size_t>(GetParam()), std::int64_t{1} << 30);
  small.heap_bound.back() = 4 * room;  // one quarter is for one version
  run(small, [this] {
    const auto pes = trawl::collect(trawl::map<where>(trawl::generate<block>(1280)));
    const auto last = std::count(pes.begin(), pes.end(), GetParam() - 1);
    EXPECT_LE(last, 50);
    EXPECT_GE(last, 20);
    for (int pe = 0; pe + 1 < GetParam(); ++pe)
      EXPECT_NEAR(static_cast<double>(std::count(pes.begin(), pes.end(), pe)),
                  (1280.0 - static_cast<double>(last)) / (GetParam() - 1), 40);
  });
}

// ---- in the log

long slow_first(long x) {
  Simulation::work(x < 100 ? 1'000'000 : 20'000);
  return x;
}
trawl::Dist<long> slow_first_step(const trawl::Dist<long>& d) {
  return trawl::map<slow_first>(d);
}

TEST_P(DistBalance, DecisionsAreInTheLog) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) /
      ("dist_balance." + std::to_string(getpid()) + "." + std::to_string(GetParam()));
  std::filesystem::create_directory(folder);
  auto traced = config();
  traced.options.trace = folder.string();
  run(traced, [] { trawl::iterate<slow_first_step>(trawl::generate<index_of>(1000), 4).size(); });
  simulation().finish(0);
  const auto found = trawl::profile::open_run(folder.string());
  const auto all = trawl::profile::find_decisions(found, 0, found.end);
  std::filesystem::remove_all(folder);
  if (alone()) {
    EXPECT_TRUE(all.empty()) << "there is nobody to share with";
    return;
  }
  ASSERT_EQ(all.size(), 3U) << "between two steps";
  const auto& first = all.front();
  EXPECT_TRUE(first.moves);
  EXPECT_LT(first.after, 0.9 * first.before);
  EXPECT_GT(first.bytes, 0);
  ASSERT_EQ(static_cast<int>(first.parts.size()), GetParam());
  double before = 0;
  double after = 0;
  for (const auto& part : first.parts) {
    before += part.before;
    after += part.after;
    EXPECT_NEAR(part.after, 1.0 / GetParam(), 0.12);
  }
  EXPECT_NEAR(before, 1, 0.01);
  EXPECT_NEAR(after, 1, 0.01);
  EXPECT_GT(first.parts.front().before, 0.5) << "PE 0 had what takes long";
}

// ---- what runs out of memory, and what is large

std::vector<long> too_much(const std::vector<long>& shard) {
  if (shard.front() < 500) return shard;
  throw std::bad_alloc();
}
long no_memory(long x) {
  if (x == 77) throw std::bad_alloc();
  return x;
}

template <class T>
std::string failure_of(const trawl::Dist<T>& d) {
  try {
    static_cast<void>(d.size());
  } catch (const trawl::ElementError& e) {
    return e.what();
  }
  return "nothing";
}

TEST_P(DistBalance, WhereMemoryRunsOutIsSaid) {
  const auto expect = [](const std::string& what, const std::vector<std::string>& parts) {
    for (const auto& part : parts) EXPECT_NE(what.find(part), std::string::npos) << what;
  };
  run([&] {
    const auto d = trawl::generate<index_of>(640);
    // Of 64 shards of 10, shard 50 is the first.
    expect(failure_of(trawl::map_shards<too_much>(d)),
           {"map_shards<", "too_much", "shard 50", "is out of memory"});
    const auto element = failure_of(trawl::map<no_memory>(d));
    expect(element, {"map<", "no_memory", "element 7 of shard 7"});
    int pe = -1;
    const auto places = trawl::places();
    for (std::size_t p = 0; p < places.size(); ++p)
      if (d.place(7) == places[p]) pe = static_cast<int>(p);
    expect(element, {"PE " + std::to_string(pe) + " is out of memory"});
    // Not in a function: what the shard itself takes. A sanitizer ends the process instead.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    try {
      trawl::detail::generate_shard<index_of, long>(3, 0, std::uint64_t{1} << 54U);
      ADD_FAILURE();
    } catch (const trawl::ElementError& e) {
      expect(e.what(), {"generate<", "index_of", "shard 3", "PE 0 is out of memory"});
    }
#endif
  });
}

TEST(Shares, OfMoreThan32Bits) {
  using trawl::detail::shard_begin;
  using trawl::detail::shard_count;
  for (const std::uint64_t n : {(std::uint64_t{1} << 31U) + 1, (std::uint64_t{1} << 32U) + 7,
                                (std::uint64_t{1} << 45U) - 3}) {
    const auto count = shard_count(n);
    EXPECT_EQ(count, std::min<std::uint64_t>(4096, n >> 20U));
    EXPECT_EQ(shard_begin(n, count, 0), 0U);
    EXPECT_EQ(shard_begin(n, count, count), n);
    for (std::size_t i = 0; i < count; ++i) {
      const auto size = shard_begin(n, count, i + 1) - shard_begin(n, count, i);
      EXPECT_TRUE(size == n / count || size == n / count + 1);
    }
  }
  const auto sections = trawl::detail::sections_of({{"a", 3}, {"b", std::uint64_t{5} << 40U}});
  EXPECT_EQ(sections.size(), 4096U);
  EXPECT_EQ(sections.back().back().end, std::uint64_t{5} << 40U);
  std::uint64_t sum = 0;
  for (const auto& each : sections)
    for (const auto& section : each) sum += section.end - section.begin;
  EXPECT_EQ(sum, (std::uint64_t{5} << 40U) + 3);
}

INSTANTIATE_TEST_SUITE_P(Pes, DistBalance, testing::ValuesIn(grids));

}  // namespace
