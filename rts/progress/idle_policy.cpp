#include "rts/progress/idle_policy.hpp"

namespace trawl::progress {
namespace {

constexpr Nanos spin_time = 100'000;
constexpr Nanos yield_interval = 25'000;  // the progress thread that has the answer may wait for it

constexpr Nanos longest_worker_park = 5'000'000;
constexpr Nanos longest_park_beside_busy = 500'000;

constexpr Nanos longest_park_notified = 6'000'000;  // to keep house
constexpr Nanos longest_park_unnotified = 600'000;  // a message is answered within a millisecond
constexpr Nanos longest_park_with_undone = 50'000;

// A spare worker's OS thread has to be started, too.
constexpr Nanos thread_patience = 3'000'000;
static_assert(longest_park_notified + thread_patience < 10'000'000);

// When somebody holds the lock: who polls most often does, and looks by himself.
constexpr Nanos retry_time = 20'000;
constexpr Nanos retry_time_beside_polling = 500'000;

// Each waking of the progress thread takes a core from a busy worker: not for each of many messages
// in a row.
constexpr Nanos in_a_row = 200'000;
constexpr int many = 8;
constexpr Nanos rest_time = 100'000;

// Who parks so long, `longest` at most, does not miss what is due.
Nanos until_due(const Situation& situation, Nanos longest) noexcept {
  return std::clamp<Nanos>(situation.undone.due - situation.now, 0, longest);
}

}  // namespace

// Who polls sees to what is undone, and notifies the progress thread if he leaves it.
Nanos longest_park(const Situation& situation) noexcept {
  const bool seen_to = situation.all_notify && situation.polled;
  if (!seen_to && (situation.undone.under_way || situation.undone.waiting))
    return longest_park_with_undone;
  return situation.all_notify ? longest_park_notified : longest_park_unnotified;
}

// ---- workers -----------------------------------------------------------------------------------

// It gets off the core by itself: on a host with more PEs than cores somebody else has use for it.
WorkerPolicy::Next WorkerPolicy::next(Nanos now) noexcept {
  if (parks_) return Next::park;
  if (spin_until_ == 0) {
    spin_until_ = now + spin_time;
    next_yield_ = now + yield_interval;
  }
  parks_ = now >= spin_until_;
  if (now < next_yield_) return Next::poll;
  next_yield_ = now + yield_interval;
  return Next::yield;
}

Nanos WorkerPolicy::park_time(const Situation& situation) noexcept {
  park_time_ =
      std::min(park_time_, situation.busy ? longest_park_beside_busy : longest_worker_park);
  const auto time = std::min(park_time_, longest_park(situation));
  park_time_ *= 2;
  return situation.polled ? time : until_due(situation, time);
}

// ---- the progress thread -----------------------------------------------------------------------

// What is due who polls sees to. If he ends polling before, he notifies: from then on it is this
// thread's, even if somebody polls again.
Nanos ProgressThreadPolicy::park_until(const Situation& situation, bool looked) noexcept {
  begun_ = situation.now;
  if (!looked) return begun_ + (situation.polled ? retry_time_beside_polling : retry_time);
  const auto longest = longest_park(situation);
  return begun_ + (situation.polled && !notified_ ? longest : until_due(situation, longest));
}

Nanos ProgressThreadPolicy::rest(Nanos now, Nanos until) noexcept {
  notified_ = now < until;
  in_a_row_ = now - begun_ < in_a_row ? in_a_row_ + 1 : 0;
  return in_a_row_ >= many ? rest_time : 0;
}

// ---- spare workers -----------------------------------------------------------------------------

// As long as any is taken the oldest is: workers are between their threads.
bool SparePolicy::look(const Situation& situation) noexcept {
  const bool taken = situation.taken != taken_;
  taken_ = situation.taken;
  if (!situation.urgent) {
    waits_since_ = never;
    return false;
  }
  if (waits_since_ == never || taken) waits_since_ = situation.now;
  if (situation.now - waits_since_ < thread_patience) return false;
  waits_since_ = situation.now;
  return true;
}

Nanos SparePolicy::next_look() const noexcept {
  return waits_since_ == never ? never : waits_since_ + thread_patience;
}

}  // namespace trawl::progress
