#include "rts/progress/progress_thread.hpp"

#include <algorithm>
#include <chrono>

#include <sys/prctl.h>

#include "rts/base/vector_registers.hpp"
#include "rts/inline/memory.hpp"

namespace trawl::progress {

ProgressThread::ProgressThread(Engine& engine)
    : engine_(engine), spares_(engine), thread_([this] {
        heap::clear_finished_calls<4096>();
        watch();
      }) {}

ProgressThread::~ProgressThread() {
  leaving_ = true;
  engine_.events().notify_progress_thread();
  thread_.join();
}

// It says that it is about to park before it asks what is undone: README.md, The event count.
void ProgressThread::watch() {
  wake_up_on_time();
  auto& events = engine_.events();
  auto& wakes = engine_.state().progress_thread_wakes;
  ProgressThreadPolicy policy;
  while (!leaving_) {
    const auto epoch = events.epoch();
    const bool looked = engine_.look();
    wakes = never;
    const auto situation = engine_.situation();
    const auto until = std::min(policy.park_until(situation, looked), spares_.look(situation));
    wakes = until;
    heap::clear_finished_calls<512>();
    clear_vector_registers();
    events.park_progress_thread(epoch, until - situation.now);
    const auto rest = policy.rest(engine_.situation().now, until);
    if (rest > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(rest));
  }
}

void wake_up_on_time() {
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
}

}  // namespace trawl::progress
