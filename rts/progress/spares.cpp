#include "rts/progress/spares.hpp"

#include <algorithm>
#include <new>
#include <system_error>

namespace trawl::progress {

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

Nanos Spares::look(const Situation& situation) {
  // One that waits for a certain worker may wait for a spare one, whom nobody notifies.
  if (situation.bound != 0)
    for (Spare& spare : spares_)
      if (spare.parked.exchange(false)) spare.called.release();
  if (policy_.look(situation)) call_one();
  return policy_.next_look();
}

// Where there is no memory, or no thread to be had, there is none: whom it was to run waits for a
// worker.
void Spares::call_one() try {
  const auto parked = std::find_if(spares_.begin(), spares_.end(),
                                   [](const Spare& spare) { return spare.parked.load(); });
  if (parked != spares_.end()) {
    parked->parked = false;
    parked->called.release();
  } else if (unstarted_ || (unstarted_ = engine_.add_spare())) {
    spares_.emplace_back(*this, unstarted_);
    unstarted_ = {};
  }
} catch (const std::bad_alloc&) {
} catch (const std::system_error&) {
}

void Spares::serve(Spare& spare) {
  while (true) {
    spare.called.acquire();
    if (leaving_) return;
    spare.relieve();
    spare.parked = true;
  }
}

}  // namespace trawl::progress
