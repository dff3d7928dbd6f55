#include "rts/host/throttle.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "rts/host/brief_mutex.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl {
namespace {

constexpr Nanos longest_sleep = 5'000'000;
constexpr Nanos longest_settling = 100'000'000;
constexpr Nanos shortest_run = 200'000;
constexpr Nanos longest_run = 1'000'000;
constexpr Nanos retry = 100'000;
// What a thread that slept or waited may make up for: else it would be faster than it should.
constexpr Nanos longest_credit = 5'000'000;

constinit thread_local Throttle* throttle_here = nullptr;

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
  action.sa_handler = &Throttle::on_signal;
  action.sa_flags = SA_RESTART;
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
  const auto share = account();
  if (budget_ < 0) {
    if (BriefMutex::held_here() || !hooks_.may_sleep()) return arm(retry);
    sleep_off(share, longest_sleep);
  }
  // So that what has been used is slept off at once.
  const auto run = static_cast<double>(longest_sleep) * share / std::max(1 - share, 1e-3);
  arm(std::clamp(static_cast<Nanos>(run), shortest_run, longest_run));
}

void Throttle::settle() {
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
  const auto time = as_timespec(std::min(static_cast<Nanos>(-budget_ / share), longest));
  nanosleep(&time, nullptr);
}

// 0: never.
void Throttle::arm(Nanos after) const noexcept {
  itimerspec timer{};
  timer.it_value = as_timespec(after);
  timer_settime(timer_, 0, &timer, nullptr);
}

}  // namespace trawl
