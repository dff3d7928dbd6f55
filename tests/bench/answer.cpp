// Microseconds until a PE answers a FISH, and a FETCH, while its only worker is inside a function
// that never calls the runtime: from the moment that the asking PE has nothing else to do until it
// goes on. Prints the median, the 99th percentile and the maximum of each. Run under mpiexec -n 2
// with --trawl:workers=1 --trawl:low-watermark=0 --trawl:thunks-per-packet=0: one at a time, and
// none ahead of need.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Waits = std::vector<double>;

constexpr int count = 1000;
constexpr int few = 20;  // sparks at a time: of many, a FISH brings several

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// A random time, so that questions come at any moment between two looks of the asked PE.
void compute() {
  static std::minstd_rand random;
  const double time = std::uniform_real_distribution<double>(0, 2000)(random);
  for (const auto begin = Clock::now(); since(begin) < time;) {
  }
}

/// What this PE waited for this spark since it had done the last one.
double fished(int) {
  static auto idle_since = Clock::now();
  const double wait = since(idle_since);
  compute();
  idle_since = Clock::now();
  return wait;
}

int one(int) {
  return 1;
}

Waits fetch(const std::vector<trawl::Lazy<int>>& them) {
  Waits waits;
  for (const auto& each : them) {
    compute();
    const auto begin = Clock::now();
    trawl::force(each);
    waits.push_back(since(begin));
  }
  return waits;
}

/// Calls nothing of the runtime but for a glance at the header of a thunk.
template <class T>
void compute_until_evaluated(const trawl::Lazy<T>& x) {
  while (!x.evaluated())
    for (const auto begin = Clock::now(); since(begin) < 10'000;) {
    }
}

void print(const char* what, Waits waits) {
  std::sort(waits.begin(), waits.end());
  std::printf("%s %.0f %.0f %.0f\n", what, waits[waits.size() / 2], waits[waits.size() * 99 / 100],
              waits.back());
}

int root() {
  Waits fish_waits;
  for (int round = 0; round < count / few; ++round) {
    std::vector<trawl::Lazy<double>> sparks;
    for (int i = 0; i < few; ++i) sparks.push_back(trawl::par(trawl::lazy<fished>(i)));
    for (const auto& each : sparks) compute_until_evaluated(each);
    const auto waits = trawl::force_all(sparks);
    // Before the first one there was nothing to be fished.
    fish_waits.insert(fish_waits.end(), waits.begin() + 1, waits.end());
  }
  print("fish", fish_waits);

  std::vector<trawl::Lazy<int>> values;
  for (int i = 0; i < count; ++i) values.push_back(trawl::lazy<one>(i));
  const auto fetched = trawl::par(trawl::lazy<fetch>(values));
  compute_until_evaluated(fetched);
  print("fetch", trawl::force(fetched));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
