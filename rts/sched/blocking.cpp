// How a thread blocks, and is woken.
#include <mutex>
#include <utility>

#include "rts/heap/code.hpp"
#include "rts/sched/worker.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

bool is_elsewhere(const heap::Node& node) noexcept {
  const auto state = node.state();
  return state == heap::State::fetch_me || state == heap::State::fetching ||
         state == heap::State::exported;
}

}  // namespace

void Thread::wake(heap::Node*, bool granted) {
  granted_ = granted;
  workers_.note_woken(*this);
  const auto& [giver, thread] = workers_.gives();
  trace::note(workers_.log(), trace::Kind::thread_resume, 0, number_,
              static_cast<std::uint16_t>(giver), thread);
  workers_.make_runnable(*this);
}

bool Thread::waits_its_turn() const noexcept {
  return step_ != nullptr && workers_.evaluates(*step_);
}

Gives Worker::as_giver() const noexcept {
  if (running_ == nullptr) return {};
  return {trace::Giver::thread, running_->number_};
}

Giving Worker::giving() noexcept {
  return {workers_.gives(), as_giver()};
}

// Polls before the FETCH is sent: its answer may be faster than this thread, and would wake the
// progress thread.
bool Worker::register_blocked(Thread& thread, std::span<heap::Node* const> nodes,
                              heap::Waiter& waiter, bool& elsewhere) {
  struct Polling {
    progress::EventCount& events;
    bool goes_on = false;
    explicit Polling(progress::EventCount& its_events) : events(its_events) {
      events.begin_polling();
    }
    ~Polling() {
      if (!goes_on) events.end_polling();
    }
  } polling(events_);
  const std::lock_guard lock(host_.lock());
  workers_.make_room_for_blocked();
  if (!host_.shared_heap().wait(nodes, waiter)) return false;
  elsewhere = is_elsewhere(*nodes.front());
  thread.waiting_for_ = nodes.front();
  workers_.note_blocked(thread);
  return polling.goes_on = true;
}

const heap::Code* Worker::running_code() const noexcept {
  return running_ != nullptr && running_->spark_ != nullptr ? &running_->spark_->code() : nullptr;
}

bool Worker::block_on(heap::Node* node, bool& granted) {
  Thread& thread = *running_;
  if (!block_on({&node, 1}, thread)) return false;
  granted = std::exchange(thread.granted_, false);
  return true;
}

bool Worker::block_on(std::span<heap::Node* const> nodes, heap::Waiter& waiter) {
  Thread& thread = *running_;
  thread.meter_.stop(*this);
  bool elsewhere = false;
  const auto stays = [&] {
    thread.seals_.lift(pool);
    notify_progress_thread_if_needed();
    thread.meter_.go_on(*this);
  };
  try {
    thread.bound_to_ = thread.seals_.put(pool) ? nullptr : this;
    if (!register_blocked(thread, nodes, waiter, elsewhere)) {
      stays();
      return false;
    }
  } catch (...) {
    stays();
    throw;
  }
  trace::note<Count::threads_blocked>(counters, log_, static_cast<unsigned>(index_), thread.number_,
                                      elsewhere ? 1 : 0, nodes.front()->code().id,
                                      just_made_at_most());
  note_made();
  note_thief(nodes.front());
  const void* const its_scope = std::exchange(scope, nullptr);
  thread.fiber_.switch_to(*main_);
  thread.meter_.go_on(*current_worker());
  current_worker()->scope = its_scope;
  return true;
}

}  // namespace trawl::sched
