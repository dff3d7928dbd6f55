// long_function: sparks work, then computes for two seconds without a call to the runtime. Prints
// how many of the sparks had been run elsewhere when it came back.
#include <chrono>
#include <iostream>
#include <vector>

#include <trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;

long square(long n) {
  return n * n;
}

int root() {
  constexpr long sparks = 100;
  std::vector<trawl::Lazy<long>> squares;
  for (long n = 0; n < sparks; ++n) squares.push_back(trawl::par(trawl::lazy<square>(n)));
  for (const auto end = Clock::now() + std::chrono::seconds(2); Clock::now() < end;) {
  }
  long done = 0;
  for (const auto& x : squares) done += x.evaluated();
  std::cout << done << '\n';
  long sum = 0;
  for (const auto& x : squares) sum += trawl::force(x);
  return sum == (sparks - 1) * sparks * (2 * sparks - 1) / 6 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
