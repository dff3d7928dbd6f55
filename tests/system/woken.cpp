// A thread whose value comes from another PE while the only worker is inside a long function. With
// an argument it then computes for half a second, and says what share of that it had a core.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

#include <trawl/trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> went_on{false};

long answer(long n) {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return n;
}

// On the main PE, whose worker is free once the root waits: the other one is inside `answer`.
bool goes_on_meanwhile(int) {
  const auto begun = Clock::now();
  while (!went_on && Clock::now() - begun < std::chrono::seconds(60)) {
  }
  return went_on;
}

double share_of_a_core() {
  const auto processor_time = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const auto before = processor_time();
  const auto begun = Clock::now();
  while (Clock::now() - begun < std::chrono::milliseconds(500)) {
  }
  const std::chrono::duration<double> took = Clock::now() - begun;
  return (processor_time() - before) / took.count();
}

int root(int argc, char**) {
  const auto first = trawl::par(trawl::lazy<answer>(42L));
  while (first.node()->state() == trawl::heap::State::unevaluated) std::this_thread::yield();
  const auto second = trawl::par(trawl::lazy<goes_on_meanwhile>(0));
  const long value = trawl::force(first);
  if (argc > 1) std::printf("%.3f\n", share_of_a_core());
  went_on = true;
  std::printf("%ld %s\n", value, trawl::force(second) ? "meanwhile" : "afterwards");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
