// Goes one hot path so many times: its instructions are counted by `check`.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace {

long spawns(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<spawns>(n - 1);
  const long y = spawns(n - 2);
  return x.sync() + y;
}

long same(long n) {
  return n;
}

long thunks(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += trawl::force(trawl::lazy<same>(i));
  return sum;
}

long sparks(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += trawl::force(trawl::par(trawl::lazy<same>(i)));
  return sum;
}

long sum_of(const std::vector<trawl::Lazy<long>>& numbers) {
  long sum = 0;
  for (const auto& number : numbers) sum += trawl::force(number);
  return sum;
}

// Two PEs on the simulated fabric, where chance has no part.
long fetches(long times) {
  trawl::Simulation::Config config;
  config.options.recover = "off";  // as where messages come by MPI
  config.net.pes = 2;
  config.options.packet_size = 1;  // every value is fetched by itself
  trawl::Simulation simulation(config);
  std::vector<trawl::Lazy<long>> numbers;
  for (long i = 0; i < times; ++i) numbers.emplace_back(i);
  long sum = 0;
  simulation.run([&] {
    const auto spark = trawl::par(trawl::lazy<sum_of>(numbers));
    while (spark.node()->state() == trawl::heap::State::unevaluated)
      trawl::Simulation::work(1000);  // until the other PE has taken it
    sum = trawl::force(spark);
  });
  return sum;
}

// Each by the other PE, and its value comes back unasked.
long fished(long times) {
  trawl::Simulation::Config config;
  config.options.recover = "off";
  config.net.pes = 2;
  trawl::Simulation simulation(config);
  long sum = 0;
  simulation.run([&] {
    for (long i = 0; i < times; ++i) {
      const auto spark = trawl::par(trawl::lazy<same>(i));
      while (!spark.evaluated()) trawl::Simulation::work(1000);
      sum += trawl::force(spark);
    }
  });
  return sum;
}

int root(const std::vector<std::string>& arguments) {
  const std::string& path = arguments.at(1);
  const long times = std::atol(arguments.at(2).c_str());
  long result = 0;
  if (path == "spawn")
    result = spawns(static_cast<int>(times));
  else if (path == "thunk")
    result = thunks(times);
  else if (path == "spark")
    result = sparks(times);
  else
    return 2;
  std::cout << result << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A simulation is a run of its own.
  const std::string path = argc > 2 ? argv[1] : "";
  if (path == "fetch" || path == "fished") {
    const auto go = path == "fetch" ? fetches : fished;
    std::cout << go(std::atol(argv[2])) << '\n';
    return 0;
  }
  return trawl::run<root>(argc, argv);
}
