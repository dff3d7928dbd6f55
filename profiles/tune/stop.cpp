#include "profiles/tune/stop.hpp"

#include <atomic>
#include <csignal>

namespace tune {
namespace {

std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals writes it");

void leave_word(int signal) {
  int none = 0;
  came.compare_exchange_strong(none, signal);
}

}  // namespace

void heed_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = leave_word;
    action.sa_flags = SA_RESTART;
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

int signal_to_stop() noexcept {
  return came;
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace tune
