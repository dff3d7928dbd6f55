#include "rts/sched/spares.hpp"

#include <algorithm>
#include <system_error>

#include "rts/error.hpp"
#include "rts/sched/doorman.hpp"

namespace trawl::sched {
namespace {

// With the longest sleep of a PE less than 10 ms, and time for the OS to start the spare worker.
constexpr Nanos patience = 3'000'000;

}  // namespace

Spares::~Spares() {
  leaving_ = true;
  for (Spare& spare : spares_) {
    spare.called.release();
    if (spare.os_thread.get_id() == std::this_thread::get_id())
      spare.os_thread.detach();  // its thread has called exit()
    else
      spare.os_thread.join();
  }
}

// As long as any is taken the oldest is: workers are between their threads.
Nanos Spares::look(Nanos now) {
  // One that waits for a certain worker may wait for a spare one, and no ring wakes that.
  if (workers_.threads().size() != workers_.threads().movable())
    for (Spare& spare : spares_)
      if (spare.sleeping.exchange(false)) spare.called.release();
  const auto taken = workers_.threads().taken();
  if (workers_.threads().movable() == 0) {
    waits_since_ = never;
    return never;
  }
  if (waits_since_ == never || taken != taken_) waits_since_ = now;
  taken_ = taken;
  if (now - waits_since_ >= patience) {
    call_one();
    waits_since_ = now;
  }
  return waits_since_ + patience - now;
}

void Spares::call_one() {
  const auto sleeper = std::find_if(spares_.begin(), spares_.end(),
                                    [](const Spare& spare) { return spare.sleeping.load(); });
  if (sleeper != spares_.end()) {
    sleeper->sleeping = false;
    sleeper->called.release();
  } else if (Worker* worker = workers_.add_spare()) {
    spares_.emplace_back(*this, *worker);
  }
}

void Spares::serve(Spare& spare) {
  heap::mutator();
  wake_up_on_time();
  catch_stack_overflow();
  spare.worker.attach(std::make_unique<Fiber>());
  try {
    while (true) {
      spare.called.acquire();
      if (leaving_) return;
      spare.worker.relieve();
      spare.sleeping = true;
    }
  } catch (const Error& e) {  // no memory for what a thread needs to block
    workers_.host().fail(e.what(), e.exit_code());
  }
}

}  // namespace trawl::sched
