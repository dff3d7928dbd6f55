// long_function fish|fetch WORKERS: every worker of the main PE, which has so many, computes
// without a call to the runtime until the other PEs have run all sparks that it has, or one of them
// has fetched all that it was given references to.
#include <atomic>
#include <chrono>
#include <string_view>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Squares = std::vector<trawl::Lazy<long>>;

constexpr long count = 100;

std::atomic<bool> is_main_pe{false};
std::atomic<int> occupied{0};
std::atomic<bool> answered{false};

long square(long n) {
  return n * n;
}

long sum(const Squares& squares) {
  long all = 0;
  for (const auto& each : squares) all += trawl::force(each);
  return all;
}

void compute_for(std::chrono::microseconds time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

/// Keeps a worker of the main PE until everything is answered.
long occupy(int) {
  if (!is_main_pe) return 0;
  ++occupied;
  while (!answered) compute_for(std::chrono::milliseconds(1));
  return 0;
}

/// To look whether a thunk is evaluated is to look at its header: nothing is polled.
void compute_until_evaluated(const Squares& all) {
  for (const auto& each : all)
    while (!each.evaluated()) compute_for(std::chrono::milliseconds(10));
  answered = true;
}

int root(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool fish = std::string_view(argv[1]) == "fish";
  is_main_pe = true;
  while (occupied < std::stoi(argv[2]) - 1) {
    trawl::par(trawl::lazy<occupy>(0));
    compute_for(std::chrono::microseconds(100));
  }

  Squares squares;
  for (long n = 0; n < count; ++n) squares.push_back(trawl::lazy<square>(n));
  if (fish)
    for (const auto& each : squares) trawl::par(each);
  const auto total = trawl::lazy<sum>(squares);
  compute_until_evaluated(fish ? squares : Squares{trawl::par(total)});
  return trawl::force(total) == (count - 1) * count * (2 * count - 1) / 6 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
