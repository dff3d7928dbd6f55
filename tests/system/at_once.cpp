// at_once N: how many of twelve functions were under evaluation at once, each waiting for N of
// them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

using namespace std::chrono_literals;

std::atomic<int> running{0};
std::atomic<int> most{0};

/// A while longer than it takes to see that there are enough: would more come?
long meet(int expected) {
  const int now = ++running;
  for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
  }
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (most < expected && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(50ms);
  --running;
  return 1;
}

int root(int argc, char** argv) {
  const int expected = argc == 2 ? std::stoi(argv[1]) : 1;
  std::vector<trawl::Lazy<long>> all;
  for (int i = 0; i < 12; ++i) all.push_back(trawl::par(trawl::lazy<meet>(expected)));
  for (const auto& each : all) trawl::force(each);
  std::cout << most << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
