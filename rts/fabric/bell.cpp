#include "rts/fabric/bell.hpp"

#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trawl::fabric {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// Names of sleepers, as FUTEX_WAIT_BITSET wants them.
constexpr std::uint32_t doorman = 1U << 31U;
constexpr std::uint32_t workers = ~doorman;
constexpr int all = std::numeric_limits<int>::max();

std::uint32_t worker(int index) noexcept {
  return 1U << (static_cast<unsigned>(index) % 31U);
}

}  // namespace

void Bell::ring() noexcept {
  rings_.fetch_add(1);
  if (attending_.load() > 0) return;
  if (sleeping_workers_.load() > 0 && wake(workers)) return;
  wake_doorman();
}

void Bell::ring_worker(int index) noexcept {
  rings_.fetch_add(1);
  if (sleeping_workers_.load() > 0) wake(worker(index), all);  // names are shared from 32 on
}

void Bell::ring_doorman() noexcept {
  rings_.fetch_add(1);
  wake_doorman();
}

void Bell::sleep_as_worker(int index, std::uint32_t seen, Nanos time) noexcept {
  sleeping_workers_.fetch_add(1);
  sleep(seen, time, worker(index));
  sleeping_workers_.fetch_sub(1);
}

void Bell::sleep_as_doorman(std::uint32_t seen, Nanos time) noexcept {
  doorman_sleeps_ += doorman_sleeps_ == 0xffff'ffff ? 2 : 1;
  sleeping_doorman_.store(doorman_sleeps_);
  sleep(seen, time, doorman);
  sleeping_doorman_.store(0);
}

void Bell::sleep(std::uint32_t seen, Nanos time, std::uint32_t name) noexcept {
  constexpr Nanos second = 1'000'000'000;
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const Nanos nanos = until.tv_nsec + time;
  until.tv_sec += nanos / second;
  until.tv_nsec = nanos % second;
  syscall(SYS_futex, &rings_, FUTEX_WAIT_BITSET, seen, &until, nullptr, name);
}

// Many that ring in a row wake him once. Whoever comes late may not put out the flag of his next
// sleep: so it is only put out by who has woken him, and only if it is still the same.
void Bell::wake_doorman() noexcept {
  auto sleep = sleeping_doorman_.load();
  if (sleep != 0 && wake(doorman)) sleeping_doorman_.compare_exchange_strong(sleep, 0);
}

bool Bell::wake(std::uint32_t names, int most) noexcept {
  return syscall(SYS_futex, &rings_, FUTEX_WAKE_BITSET, most, nullptr, nullptr, names) > 0;
}

}  // namespace trawl::fabric
