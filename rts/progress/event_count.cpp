#include "rts/progress/event_count.hpp"

#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trawl::progress {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// Names of parked threads, as FUTEX_WAIT_BITSET wants them.
constexpr std::uint32_t progress_thread = 1U << 31U;
constexpr std::uint32_t workers = ~progress_thread;
constexpr int all = std::numeric_limits<int>::max();

std::uint32_t worker(int index) noexcept {
  return 1U << (static_cast<unsigned>(index) % 31U);
}

}  // namespace

void EventCount::notify() noexcept {
  epoch_.fetch_add(1);
  if (polling_.load() > 0) return;
  if (parked_workers_.load() > 0 && wake(workers)) return;
  wake_progress_thread();
}

void EventCount::notify_worker(int index) noexcept {
  epoch_.fetch_add(1);
  if (parked_workers_.load() > 0) wake(worker(index), all);  // names are shared from 32 on
}

void EventCount::notify_progress_thread() noexcept {
  epoch_.fetch_add(1);
  wake_progress_thread();
}

void EventCount::park_worker(int index, std::uint32_t epoch, Nanos time) noexcept {
  parked_workers_.fetch_add(1);
  park(epoch, time, worker(index));
  parked_workers_.fetch_sub(1);
}

void EventCount::park_progress_thread(std::uint32_t epoch, Nanos time) noexcept {
  progress_thread_parks_ += progress_thread_parks_ == 0xffff'ffff ? 2 : 1;
  parked_progress_thread_.store(progress_thread_parks_);
  park(epoch, time, progress_thread);
  parked_progress_thread_.store(0);
}

void EventCount::park(std::uint32_t epoch, Nanos time, std::uint32_t name) noexcept {
  constexpr Nanos second = 1'000'000'000;
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const Nanos nanos = until.tv_nsec + time;
  until.tv_sec += nanos / second;
  until.tv_nsec = nanos % second;
  syscall(SYS_futex, &epoch_, FUTEX_WAIT_BITSET, epoch, &until, nullptr, name);
}

// Many notifications in a row wake it once. Whoever comes late may not put out the flag of its next
// park: so it is only put out by who has woken it, and only if it is still the same.
void EventCount::wake_progress_thread() noexcept {
  auto park = parked_progress_thread_.load();
  if (park != 0 && wake(progress_thread)) parked_progress_thread_.compare_exchange_strong(park, 0);
}

bool EventCount::wake(std::uint32_t names, int most) noexcept {
  return syscall(SYS_futex, &epoch_, FUTEX_WAKE_BITSET, most, nullptr, nullptr, names) > 0;
}

}  // namespace trawl::progress
