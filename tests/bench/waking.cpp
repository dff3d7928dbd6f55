// Microseconds from the first spark after a long time without any until a PE that had fallen idle
// runs it, while the PE that made it computes: the median, the 99th percentile and the maximum. Run
// under mpiexec -n 2 with --trawl:workers=1.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;

long micros() {
  return Clock::now().time_since_epoch() / std::chrono::microseconds(1);
}

void compute(long time) {
  for (const auto begin = micros(); micros() - begin < time;) {
  }
}

/// The steady clock is the same for all PEs of a host.
long begun(int) {
  return micros();
}

int root() {
  constexpr int count = 200;
  constexpr long idle = 30'000;
  std::vector<long> waits;
  for (int i = 0; i < count; ++i) {
    compute(idle);
    const auto made = micros();
    const auto x = trawl::par(trawl::lazy<begun>(i));
    compute(idle / 2);
    waits.push_back(trawl::force(x) - made);
  }
  std::sort(waits.begin(), waits.end());
  std::printf("%ld %ld %ld\n", waits[count / 2], waits[count * 99 / 100], waits.back());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
