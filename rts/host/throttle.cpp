#include "rts/host/throttle.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "rts/host/brief_mutex.hpp"
#include "rts/host/clocks.hpp"
#include "rts/host/locking_code.hpp"
#include "rts/inline/error.hpp"

namespace trawl {
namespace {

constexpr Nanos longest_sleep = 5'000'000;
constexpr Nanos longest_settling = 100'000'000;
constexpr Nanos shortest_run = 200'000;
constexpr Nanos longest_run = 5'000'000;
constexpr Nanos retry = 100'000;
// What a thread that slept or waited may make up for: else it would be faster than it should.
constexpr Nanos longest_credit = 5'000'000;

// Of the C library: a program may spend its life there.
constexpr int most_retries = 50;

constinit thread_local Throttle* throttle_here = nullptr;
constinit thread_local std::uintptr_t stopped_at = 0;
constinit thread_local int retries = 0;

std::uintptr_t place_of(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#endif
}

// Who was stopped in the middle of malloc or the collector may hold a lock of theirs.
bool may_hold_lock(std::uintptr_t place) noexcept {
  static const LockingCode collector("libgc.so");
  static const LockingCode c("libc.so");
  if (BriefMutex::held_here() || collector.contains(place)) return true;
  return c.contains(place) && ++retries <= most_retries;
}

int throttle_signal() {
  return SIGRTMIN + 8;
}

timespec as_timespec(Nanos time) noexcept {
  return {time / 1'000'000'000, time % 1'000'000'000};
}

}  // namespace

Throttle::Throttle(Hooks hooks)
    : hooks_(std::move(hooks)), last_wall_(wall_time()), last_processor_(processor_time()) {
  struct sigaction action {};
  may_hold_lock(0);  // so that it looks for the libraries now
  action.sa_sigaction = [](int signal, siginfo_t*, void* context) {
    stopped_at = place_of(context);
    on_signal(signal);
  };
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(throttle_signal(), &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = throttle_signal();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0)
    throw Error("a worker can't be slowed down as the grid wants it: " +
                std::string(std::strerror(errno)));
  throttle_here = this;
  arm(longest_run);
}

Throttle::~Throttle() {
  timer_delete(timer_);
  throttle_here = nullptr;
}

void Throttle::on_signal(int) {
  const int saved = errno;
  if (throttle_here != nullptr) throttle_here->look();
  errno = saved;
}

void Throttle::look() {
  if (settling_) return;
  const auto share = account();
  if (budget_ < 0) {
    if (may_hold_lock(stopped_at) || !hooks_.may_sleep()) return arm(retry);
    retries = 0;
    sleep_off(share, longest_sleep);
  }
  // So that what has been used is slept off at once.
  const auto run = static_cast<double>(longest_sleep) * share / std::max(1 - share, 1e-3);
  arm(std::clamp(static_cast<Nanos>(run), shortest_run, longest_run));
}

// A signal that was on its way when the timer was stopped would start it again.
void Throttle::settle() {
  settling_ = true;
  arm(0);
  const auto share = account();
  if (budget_ < 0) sleep_off(share, longest_settling);
}

// The share at present.
double Throttle::account() {
  const auto share = std::clamp(hooks_.share(), 1e-6, 1.0);
  const auto wall = wall_time();
  const auto processor = processor_time();
  budget_ += share * static_cast<double>(wall - last_wall_) -
             static_cast<double>(processor - last_processor_);
  budget_ = std::min(budget_, share * static_cast<double>(longest_credit));
  last_wall_ = wall;
  last_processor_ = processor;
  return share;
}

void Throttle::sleep_off(double share, Nanos longest) const {
  auto time = as_timespec(std::min(static_cast<Nanos>(-budget_ / share), longest));
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {  // the collector's, say
  }
}

// 0: never.
void Throttle::arm(Nanos after) const noexcept {
  itimerspec timer{};
  timer.it_value = as_timespec(after);
  timer_settime(timer_, 0, &timer, nullptr);
}

}  // namespace trawl
