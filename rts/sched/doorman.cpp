#include "rts/sched/doorman.hpp"

#include <algorithm>
#include <chrono>

#include <sys/prctl.h>

namespace trawl::sched {

namespace {

// Each waking takes a core from a busy worker: not for each of many messages in a row.
constexpr Nanos in_a_row = 200'000;
constexpr int many = 8;
constexpr auto rest = std::chrono::microseconds(100);
// When somebody holds the lock: who attends most often does, and looks by himself.
constexpr Nanos retry_time = 20'000;
constexpr Nanos retry_time_beside_attendant = 500'000;

}  // namespace

Doorman::Doorman(Workers& workers)
    : workers_(workers), spares_(workers), thread_([this] { watch(); }) {}

Doorman::~Doorman() {
  leaving_ = true;
  workers_.host().events().notify_progress_thread();
  thread_.join();
}

// Idle workers look after the messages by themselves, as busy ones do between two threads; then a
// second look here costs a failed poll.
void Doorman::watch() {
  heap::mutator();
  wake_up_on_time();
  auto& host = workers_.host();
  auto& events = host.events();
  int hurried = 0;
  bool rung = true;
  while (!leaving_) {
    const auto seen = events.epoch();
    const bool looked = !workers_.anybody_busy() || host.poll(nullptr);
    workers_.set_doorman_wakes(never);
    const auto begun = host.now();
    const auto until = begun + std::min(time_to_sleep(looked, rung, begun), spares_.look(begun));
    workers_.set_doorman_wakes(until);
    events.park_progress_thread(seen, until - begun);
    const auto woken = host.now();
    rung = woken < until;
    hurried = woken - begun < in_a_row ? hurried + 1 : 0;
    if (hurried >= many) std::this_thread::sleep_for(rest);
  }
}

// What is due is seen to by who attends; if he leaves before, he rings.
Nanos Doorman::time_to_sleep(bool looked, bool rung, Nanos now) const {
  auto& host = workers_.host();
  const bool attended = host.events().polled();
  if (!looked) return attended ? retry_time_beside_attendant : retry_time;
  const auto longest = host.longest_sleep();
  return attended && !rung ? longest : host.sleep_until_due(now, longest);
}

void wake_up_on_time() {
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

}  // namespace trawl::sched
