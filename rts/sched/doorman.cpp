#include "rts/sched/doorman.hpp"

#include <chrono>

#include <sys/prctl.h>

namespace trawl::sched {

namespace {

constexpr auto round_time = std::chrono::microseconds(700);
constexpr auto round_time_at_rest = std::chrono::microseconds(900);

}  // namespace

Doorman::Doorman(Crew& crew) : crew_(crew), thread_([this] { watch(); }) {}

Doorman::~Doorman() {
  leaving_ = true;
  thread_.join();
}

// Idle workers look after the messages by themselves, as busy ones do between two threads; then a
// second look here costs a failed poll.
void Doorman::watch() {
  heap::mutator();
  wake_up_on_time();
  while (!leaving_) {
    const bool busy = crew_.anybody_busy();
    std::this_thread::sleep_for(busy ? round_time : round_time_at_rest);
    if (busy) crew_.host().poll(nullptr);
  }
}

void wake_up_on_time() {
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

}  // namespace trawl::sched
