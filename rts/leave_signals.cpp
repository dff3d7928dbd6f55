#include "rts/leave_signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "rts/pe.hpp"

namespace trawl {
namespace {

constinit std::atomic<Pe*> leaves{nullptr};
constinit std::atomic<int> terminated{0};
constinit std::atomic<bool> others_can_leave{false};

// Requests that have not been answered; 0: none.
constinit std::array<std::atomic<std::uint64_t>, 64> asked{};

// The third one ends the process as it would have.
void on_terminated(int signal) {
  if (++terminated == 2) std::signal(signal, SIG_DFL);
  if (Pe* const pe = leaves) pe->leave();
}

void keep(std::uint64_t request) {
  for (auto& place : asked) {
    std::uint64_t none = 0;
    if (place.compare_exchange_strong(none, request)) return;
  }
}

// Before there is a PE, and of anybody but trawl-run, it means nothing.
void on_send_away(int, siginfo_t* info, void*) {
  Pe* const pe = leaves;
  if (pe == nullptr || info->si_code != SI_QUEUE) return;
  const auto value = reinterpret_cast<std::uint64_t>(info->si_value.sival_ptr);
  const auto request = fabric::request_of(value);
  if (others_can_leave) {
    if (request.asker != 0) keep(value);
    return pe->send_away(request.pe);
  }
  const int before = errno;
  fabric::answer_leave(request.asker, fabric::LeaveAnswer::deaths_end_runs);
  errno = before;
}

// A program's own handler stays.
void handle(int signal, struct sigaction action, void (*instead_of)(int)) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != instead_of) return;
  action.sa_flags |= SA_RESTART | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void leave_by_signal() {
  struct sigaction action {};
  action.sa_handler = &on_terminated;
  handle(SIGTERM, action, SIG_DFL);
}

void send_others_away_by_signal(bool can_leave) {
  others_can_leave = can_leave;
  struct sigaction action {};
  action.sa_sigaction = &on_send_away;
  action.sa_flags = SA_SIGINFO;
  handle(fabric::leave_signal(), action, SIG_IGN);
}

void answer_who_asked(int pe, fabric::LeaveAnswer answer) noexcept {
  for (auto& place : asked) {
    auto value = place.load();
    const auto request = fabric::request_of(value);
    if (request.pe == pe && place.compare_exchange_strong(value, 0))
      fabric::answer_leave(request.asker, answer);
  }
}

// Only what is blocked is said to be pending. Who handles it meanwhile has counted it.
bool told_to_leave() noexcept {
  sigset_t term, before, pending;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigemptyset(&pending);
  pthread_sigmask(SIG_BLOCK, &term, &before);
  sigpending(&pending);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return sigismember(&pending, SIGTERM) == 1 || terminated != 0;
}

void take_leave_signals(Pe& pe) {
  leaves = &pe;
  if (terminated != 0) pe.leave();
}

}  // namespace trawl
