// Recordings of programs that nobody wrote.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "rts/trace/record.hpp"

namespace trawl::test {

/// Writes a run.
class RandomRun {
 public:
  /// With `places`, some thunks are placed, and use what others of these have given.
  RandomRun(trace::Record& record, std::uint64_t seed, int tasks, Nanos work, bool places = false)
      : record_(record), random_(seed), left_(tasks), work_(work), places_(places) {
    for (auto& value : shared_) value = record_.share(below(3000));
  }

  void task(int depth, bool placed = false) {
    std::vector<std::uint64_t> calls;
    if (depth != deepest)
      for (const auto value : shared_)
        if (below(8) == 0) record_.refer(value);
    if (placed) use_some();
    for (auto steps = 1 + below(6); steps > 0; --steps) {
      record_.work(1 + static_cast<Nanos>(below(static_cast<std::size_t>(work_))));
      if (left_ <= 0) continue;
      switch (below(4)) {
        case 0:
          --left_;
          calls.push_back(record_.spawn());
          break;
        case 1:
          --left_;
          if (places_ && below(2) == 0)
            place_some();
          else
            sparks_.push_back(record_.par());
          break;
        case 2:
          if (depth == 0) break;
          --left_;
          record_.eval(bytes());
          task(depth - 1);
          break;
        default:
          if (depth == 0 || sparks_.empty()) break;
          force(any_of(sparks_), depth);
      }
    }
    while (!calls.empty()) {
      record_.sync(any_of(calls), bytes());
      task(std::max(0, depth - 1));
    }
    if (depth != deepest) record_.end(bytes(), placed ? below(3) * below(2000) : 0);
  }

  static constexpr int deepest = 12;

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::uint64_t bytes() { return below(3) == 0 ? below(5000) : below(64); }

  void place_some() {
    for (auto shards = 1 + below(4); shards > 0; --shards) {
      sparks_.push_back(record_.place());
      placed_.insert(sparks_.back());
    }
  }
  void use_some() {
    for (auto uses = std::min(below(4), given_.size()); uses > 0; --uses)
      record_.use(given_[given_.size() - uses]);
  }
  void force(std::uint64_t spark, int depth) {
    const bool placed = placed_.contains(spark);
    record_.force(spark, bytes());
    task(depth - 1, placed);
    if (placed) given_.push_back(spark);
  }

  std::uint64_t any_of(std::vector<std::uint64_t>& some) {
    std::swap(some[below(some.size())], some.back());
    const auto one = some.back();
    some.pop_back();
    return one;
  }

  trace::Record& record_;
  std::mt19937_64 random_;
  int left_;
  Nanos work_;
  bool places_;
  std::vector<std::uint64_t> sparks_;
  std::set<std::uint64_t> placed_;
  std::vector<std::uint64_t> given_;  // by placed ones
  std::array<std::uint32_t, 5> shared_;
};

/// The graph of what `write` records.
template <class Write>
replay::Graph recorded(Write write) {
  const auto file =
      (std::filesystem::path(testing::TempDir()) / ("trawl_recorded_" + std::to_string(getpid())))
          .string();
  trace::Record record(file, "random");
  write(record);
  record.close();
  auto graph = replay::read_recording(file);
  std::filesystem::remove(file);
  return graph;
}

inline replay::Graph random_graph(std::uint64_t seed, int tasks, Nanos work = 100'000,
                                  bool places = false) {
  return recorded([&](trace::Record& record) {
    RandomRun(record, seed, tasks, work, places).task(RandomRun::deepest);
  });
}

}  // namespace trawl::test
