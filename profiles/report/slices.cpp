#include "profiles/report/slices.hpp"

#include <algorithm>
#include <utility>

#include "profiles/message_name.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr Nanos at_once = 50'000;         // a thread that wakes others as it ends does so in this
constexpr std::size_t most_imports = 64;  // older ones have been evaluated by who needed them

}  // namespace

void Threads::see(const Event& event) {
  switch (event.kind) {
    case Kind::message_received:
      last_received_ = message_name(pe_, event);
      value_.reset();
      break;
    case Kind::spark_import:
      if (imports_.size() == most_imports) imports_.erase(imports_.begin());
      imports_.push_back({event.time, event.value, last_received_});
      break;
    case Kind::resume_received:
      value_ = Came{event.time, event.value, last_received_};
      break;
    case Kind::load:
      if (value_ && value_->woke) value_.reset();
      break;
    case Kind::spark_convert:
      convert(event);
      break;
    case Kind::thread_start:
      threads_.try_emplace(event.value, Slice{.ready = event.time,
                                              .blocked = event.time,
                                              .thread = event.value,
                                              .code = root_code,
                                              .cause = Cause::root});
      break;
    case Kind::thread_run:
      begin(event);
      break;
    case Kind::thread_block:
      leave(event.worker, event.time, true, false);
      break;
    case Kind::thread_resume:
      resume(event);
      break;
    case Kind::thread_end:
      leave(event.worker, event.time, false, true);
      threads_.erase(event.value);
      break;
    case Kind::idle_begin:
      leave(event.worker, event.time, false, false);
      if (is_first(event)) add_idle(from_, event.time);
      idle_since_.try_emplace(event.worker, event.time);
      break;
    case Kind::idle_end:
      end_idle(event.worker, event.time);
      break;
    default:
      break;
  }
}

void Threads::finish(Nanos last) {
  while (!running_.empty()) leave(running_.begin()->first, last, false, false);
  while (!idle_since_.empty()) end_idle(idle_since_.begin()->first, last);
  for (const auto left : left_) add_idle(left == never ? from_ : left, last);
}

bool Threads::is_first(const Event& event) {
  return event.worker < left_.size() && left_[event.worker] == never;
}

const Slice* Threads::alone() const {
  return running_.size() == 1 ? &running_.begin()->second : nullptr;
}

void Threads::convert(const Event& event) {
  Slice thread{.ready = event.time,
               .blocked = event.time,
               .thread = event.id,
               .code = event.value,
               .cause = event.extra != 0 ? Cause::imported : Cause::own_spark,
               .imported = event.extra != 0};
  if (thread.imported && !imports_.empty()) {
    const auto& came = imports_.back();
    thread.ready = thread.blocked = came.time;
    thread.other = came.from;
    thread.message = came.message;
    imports_.pop_back();
  }
  threads_[event.id] = thread;
}

void Threads::resume(const Event& event) {
  const auto found = threads_.find(event.value);
  if (found == threads_.end()) return;
  auto& thread = found->second;
  thread.ready = event.time;
  thread.message = 0;
  thread.other = unknown;
  if (value_ && event.time - value_->time < at_once) {
    thread.cause = Cause::resume;
    thread.other = value_->from;
    thread.message = value_->message;
    value_->woke = true;
    return;
  }
  thread.cause = Cause::woken_here;
  if (const auto* only = alone()) {
    thread.other = only->thread;
    return;
  }
  if (event.time - woken_at_ > at_once) woken_.clear();
  woken_.push_back(event.value);
  woken_at_ = event.time;
}

// Events may be lost: what a worker does next ends what it did.
void Threads::begin(const Event& event) {
  leave(event.worker, event.time, false, false);
  end_idle(event.worker, event.time);
  if (is_first(event)) add_idle(from_, event.time);
  const auto known = threads_.find(event.value);
  Slice slice = known != threads_.end()
                    ? known->second
                    : Slice{.ready = event.time, .blocked = event.time, .thread = event.value};
  slice.begin = event.time;
  slice.worker = event.worker;
  running_[event.worker] = slice;
}

void Threads::leave(unsigned worker, Nanos time, bool blocks, bool finishes) {
  const auto running = running_.find(worker);
  if (running == running_.end()) return;
  auto slice = running->second;
  running_.erase(running);
  if (worker < left_.size()) left_[worker] = time;
  slice.end = std::max(slice.begin, time);
  slice.ran += slice.length();
  slice.blocks = blocks;
  slice.finishes = finishes;
  if (finishes && time - woken_at_ <= at_once)
    for (const auto woken : std::exchange(woken_, {}))
      if (const auto waiter = threads_.find(woken); waiter != threads_.end())
        waiter->second.other = slice.thread;
  if (const auto found = threads_.find(slice.thread); found != threads_.end()) {
    auto& thread = found->second;
    thread.ran = slice.ran;
    const bool woken_already = thread.ready > slice.begin;  // by another worker, while it left
    if (slice.cause == Cause::woken_here && !woken_already)
      slice.other = thread.other;  // its waker may have become known only now
    thread.blocked = woken_already ? thread.ready : time;
    if (!woken_already) thread.cause = Cause::lost;
  }
  see_(slice);
}

void Threads::end_idle(unsigned worker, Nanos time) {
  const auto found = idle_since_.find(worker);
  if (found == idle_since_.end()) return;
  add_idle(found->second, time);
  if (worker < left_.size()) left_[worker] = time;
  idle_since_.erase(found);
}

void Threads::add_idle(Nanos since, Nanos until) {
  idle_ += std::max<Nanos>(0, std::min(until, to_) - std::max(since, from_));
}

}  // namespace trawl::profile
