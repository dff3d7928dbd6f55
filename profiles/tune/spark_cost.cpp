#include "profiles/tune/spark_cost.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <trawl/trawl.hpp>

namespace tune {
namespace {

constexpr int depth = 20;
constexpr double calls = 10'945;  // that a tree of this depth sparks
constexpr int tries = 15;

[[gnu::noinline]] long plain(int n) {
  return n < 2 ? n : plain(n - 1) + plain(n - 2);
}

long spawned(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<spawned>(n - 1);
  const long y = spawned(n - 2);
  return x.sync() + y;
}

long suspended(int n) {
  if (n < 2) return n;
  auto x = trawl::par(trawl::lazy<suspended>(n - 1));
  const long y = suspended(n - 2);
  return trawl::force(x) + y;
}

double seconds(long (*function)(int)) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const volatile long value = function(depth);
    static_cast<void>(value);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

LocalCosts measured;

int root() {
  const double base = seconds(plain);
  const double shortest = 0.1e-9;  // a difference of two times may be nothing
  measured.spawn = std::max((seconds(spawned) - base) / calls, shortest);
  measured.par = std::max((seconds(suspended) - base) / calls, shortest);
  return 0;
}

}  // namespace

LocalCosts measure_local_costs() {
  char name[] = "trawl-tune", workers[] = "--trawl:workers=1";
  char* argv[] = {name, workers, nullptr};
  trawl::run<root>(2, argv);
  return measured;
}

}  // namespace tune
