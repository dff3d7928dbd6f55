// Inside a PE: a loop over elements of unequal cost, cut by accumulated work as the last step had
// it (Alt, Mueller and Gorlatch, section 4.2), against parts of equal count that workers take one
// after the other (here::for_each). Simulated, on a grid of one PE with several workers: prints a
// table of times, over that of all workers perfectly used.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

namespace {

using Costs = std::vector<double>;  // of elements, in ns
constexpr std::size_t elements = 20000;
constexpr double mean = 20'000;

/// A number from 0 to 1, the i-th.
double random(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 32U)) * 0x9e3779b97f4a7c15U;
  return static_cast<double>(x >> 11U) * 0x1p-53;
}

Costs scaled(const std::function<double(std::size_t)>& cost) {
  Costs all(elements);
  for (std::size_t i = 0; i < elements; ++i) all[i] = cost(i);
  const double factor = mean * elements / std::reduce(all.begin(), all.end());
  for (double& each : all) each *= factor;
  return all;
}

void take(double nanoseconds) {
  trawl::work(static_cast<std::int64_t>(nanoseconds));
}

/// Over the time in which as many workers do it all, perfectly.
double measured(const Costs& now, std::size_t workers, const std::function<void()>& loop) {
  const auto begin = trawl::now();
  loop();
  const auto taken = static_cast<double>(trawl::now() - begin);
  return taken / (std::reduce(now.begin(), now.end()) / static_cast<double>(workers));
}

double by_cuts(const Costs& predicted, const Costs& now, std::size_t workers) {
  return measured(now, workers, [&] {
    const auto owners = trawl::detail::cut(predicted, Costs(workers, 1));
    trawl::detail::in_parts(workers, [&](std::size_t worker) {
      const auto begin = std::lower_bound(owners.begin(), owners.end(), worker);
      const auto end = std::upper_bound(begin, owners.end(), worker);
      for (auto at = begin; at != end; ++at)
        take(now[static_cast<std::size_t>(at - owners.begin())]);
    });
  });
}

double dynamically(const Costs& now, std::size_t workers) {
  return measured(now, workers,
                  [&] { trawl::here::for_each(now.size(), [&](std::size_t i) { take(now[i]); }); });
}

int root() {
  const auto workers = static_cast<std::size_t>(trawl::sched::workers_here());
  std::printf(
      "| elements, %zu workers | equal counts | by work, foreseen | by work, 30 %% off | "
      "dynamic |\n|---|---|---|---|---|\n",
      workers);
  const std::pair<const char*, std::function<double(std::size_t)>> kinds[] = {
      {"all alike", [](std::size_t) { return 1.0; }},
      {"dearer and dearer", [](std::size_t i) { return static_cast<double>(i); }},
      {"2 % in a row 50 times as dear", [](std::size_t i) { return i / 400 == 20 ? 50.0 : 1.0; }},
      {"a heavy tail (Pareto, 1.5)",
       [](std::size_t i) { return std::pow(1 - random(i), -1 / 1.5); }},
  };
  for (const auto& [name, cost] : kinds) {
    const auto now = scaled(cost);
    auto off = now;  // whole neighbourhoods, as where bodies come together
    for (std::size_t i = 0; i < off.size(); ++i) off[i] *= 0.7 + 0.6 * random(i / 1000);
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", name,
                by_cuts(Costs(elements, 1), now, workers), by_cuts(now, now, workers),
                by_cuts(off, now, workers), dynamically(now, workers));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
