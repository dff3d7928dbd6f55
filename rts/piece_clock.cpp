#include "rts/piece_clock.hpp"

#include <algorithm>

#include "rts/heap/collect.hpp"
#include "rts/host/clocks.hpp"
#include "rts/sched/spark_pool.hpp"

namespace trawl {
namespace {

// Longer pieces may hold moments in which the host had something else to do.
constexpr Nanos surely_undisturbed = 20'000;
constexpr Nanos lag_keeps = 200'000;

// The least that a spark takes which is asked about, over one that is not.
Nanos measure_handling() {
  constexpr int sparks = 100;
  constexpr int tries = 100;
  heap::Node node{};
  const auto time = [&node](sched::SparkPool& pool) {
    auto least = never;
    for (int i = 0; i < tries; ++i) {
      const auto begun = wall_time();
      for (int spark = 0; spark < sparks; ++spark) {
        pool.push(&node);
        pool.take_back(&node);
      }
      least = std::min(least, wall_time() - begun);
    }
    return least;
  };
  sched::SparkPool plain(sparks);
  sched::SparkPool asking(sparks);
  Nanos last = 0;
  asking.always_ask([&last] { last = wall_time(); });
  return (time(asking) - time(plain)) / sparks;
}

}  // namespace

PieceClock::PieceClock() : handling_(measure_handling()) {}

void PieceClock::begin() noexcept {
  collected_ = heap::collecting_time_here();
  begun_ = wall_time();
  if (begun_ - lag_read_ > lag_keeps) read_lag(begun_);
}

void PieceClock::read_lag(Nanos now) noexcept {
  lag_ = now - processor_time();
  lag_read_ = now;
}

Nanos PieceClock::end() noexcept {
  const auto now = wall_time();
  const auto work = std::max<Nanos>(now - begun_ - handling_, 0);
  if (work <= surely_undisturbed) return work;
  const auto lag = lag_;
  read_lag(now);
  const auto collected = heap::collecting_time_here() - collected_;
  return work - std::clamp<Nanos>(lag_ - lag + collected, 0, work);
}

}  // namespace trawl
