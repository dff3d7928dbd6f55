#include "rts/leave_signals.hpp"

#include <atomic>
#include <csignal>

#include "rts/fabric/launcher.hpp"
#include "rts/pe.hpp"

namespace trawl {
namespace {

constinit std::atomic<Pe*> leaves{nullptr};
constinit std::atomic<int> terminated{0};

// The third one ends the process as it would have.
void on_terminated(int signal) {
  if (++terminated == 2) std::signal(signal, SIG_DFL);
  if (Pe* const pe = leaves) pe->leave();
}

// Before there is a PE, and of anybody but trawl-run, it means nothing.
void on_send_away(int, siginfo_t* info, void*) {
  Pe* const pe = leaves;
  if (pe != nullptr && info->si_code == SI_QUEUE) pe->send_away(info->si_value.sival_int);
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

void send_others_away_by_signal() {
  struct sigaction action {};
  action.sa_sigaction = &on_send_away;
  action.sa_flags = SA_SIGINFO;
  handle(fabric::leave_signal(), action, SIG_IGN);
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
