#include <atomic>
#include <utility>

#include <unistd.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/heap/weak.hpp"
#include "rts/heap/when_full.hpp"
#include "rts/host/clocks.hpp"

namespace trawl::heap {
namespace {

constinit std::atomic<bool> others_know{false};
constinit std::atomic<bool> somebody_waits{false};
// When waiting was of no use last: who catches bad_alloc is not to wait each time.
constinit std::atomic<Nanos> in_vain{0};

}  // namespace

void expect_others_to_let_go() noexcept {
  others_know = true;
}

bool take_somebody_waits() noexcept {
  return somebody_waits.exchange(false);
}

// What this PE keeps for others is known by its progress thread, to which nothing is said but that:
// this thread may be anywhere. If it holds the PE's lock the time is lost, except where it reads
// messages.
bool WhenFull::wait() noexcept {
  if (MayNotWait::here()) return go_beyond();
  constexpr Nanos longest = 4'000'000'000;
  constexpr Nanos for_good = 10'000'000'000;
  constexpr useconds_t a_moment = 10'000;
  const auto now = wall_time();
  if (begun_ == 0) {
    if (!others_know || (in_vain != 0 && now - in_vain < for_good)) return false;
    begun_ = now;
  }
  if (now - begun_ >= longest) {
    in_vain = now;
    return false;
  }
  somebody_waits = true;
  usleep(a_moment);
  return true;
}

// No longer than for this piece: others who wait would take what there is.
bool WhenFull::go_beyond() noexcept {
  if (is_beyond_) return false;
  is_beyond_ = let_pass_bound();
  return is_beyond_;
}

WhenFull::~WhenFull() {
  if (is_beyond_) let_pass_bound_no_more();
}

bool WhenFull::try_again() {
  if (std::exchange(destroys_, false)) {
    destroy_the_dead();
    return true;
  }
  return wait();
}

}  // namespace trawl::heap
