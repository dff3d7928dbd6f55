#include "rts/fabric/bell.hpp"

#include <ctime>

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

std::uint32_t worker(int index) noexcept {
  return 1U << (static_cast<unsigned>(index) % 31U);
}

}  // namespace

void Bell::ring() noexcept {
  rings_.fetch_add(1);
  if (attending_.load() > 0) return;
  if (sleeping_workers_.load() > 0 && wake(workers)) return;
  if (sleeping_doorman_.exchange(0) != 0) wake(doorman);
}

void Bell::ring_worker(int index) noexcept {
  own_rings_.fetch_add(1);
  rings_.fetch_add(1);
  if (sleeping_workers_.load() > 0) wake(worker(index));
}

void Bell::ring_doorman() noexcept {
  own_rings_.fetch_add(1);
  rings_.fetch_add(1);
  if (sleeping_doorman_.exchange(0) != 0) wake(doorman);
}

void Bell::sleep_as_worker(int index, std::uint32_t seen, Nanos time) noexcept {
  sleeping_workers_.fetch_add(1);
  sleep(seen, time, worker(index));
  sleeping_workers_.fetch_sub(1);
}

void Bell::sleep_as_doorman(std::uint32_t seen, Nanos time) noexcept {
  sleeping_doorman_.store(1);
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

bool Bell::wake(std::uint32_t names) noexcept {
  return syscall(SYS_futex, &rings_, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, names) > 0;
}

}  // namespace trawl::fabric
