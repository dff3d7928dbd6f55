// A thread whose value comes from another PE while the only worker is inside a long function.
#include <atomic>
#include <chrono>
#include <cstdio>
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

int root() {
  const auto first = trawl::par(trawl::lazy<answer>(42L));
  while (first.node()->state() == trawl::heap::State::unevaluated) std::this_thread::yield();
  const auto second = trawl::par(trawl::lazy<goes_on_meanwhile>(0));
  const long value = trawl::force(first);
  went_on = true;
  std::printf("%ld %s\n", value, trawl::force(second) ? "meanwhile" : "afterwards");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
