#include "profiles/report/slices.hpp"

#include <algorithm>
#include <iterator>

#include "profiles/message_name.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

/// Other messages may be handled while a long one is read, so it is not always the last.
bool may_wake(std::uint16_t kind) {
  return kind == static_cast<std::uint16_t>(fabric::Kind::resume) ||
         kind == static_cast<std::uint16_t>(fabric::Kind::schedule) ||
         kind == static_cast<std::uint16_t>(fabric::Kind::write);
}

}  // namespace

void Threads::see(const Event& event) {
  switch (event.kind) {
    case Kind::message_received:
      last_received_ = message_name(pe_, event);
      if (may_wake(event.extra)) brought_ = Came{event.time, event.value, last_received_};
      break;
    case Kind::spark_import:
      imports_.insert_or_assign(event.id, Came{event.time, event.value, last_received_});
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
      block(event);
      break;
    case Kind::thread_resume:
      resume(event);
      break;
    case Kind::thread_end:
      end(event);
      break;
    case Kind::idle_begin:
      leave(event.worker, event.time);
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
  while (!running_.empty()) leave(running_.begin()->first, last);
  while (!idle_since_.empty()) end_idle(idle_since_.begin()->first, last);
  for (const auto left : left_) add_idle(left == never ? from_ : left, last);
}

bool Threads::is_first(const Event& event) {
  return event.worker < left_.size() && left_[event.worker] == never;
}

// A later thread that began above it has mostly taken nothing from below since (README.md).
Source Threads::maker(std::uint32_t packed_place) const {
  if (packed_place == 0) return {};
  const auto spark = trace::PoolPlace::unpacked(packed_place);
  const auto found = began_.find(spark.worker);
  if (found == began_.end()) return {};
  const auto& began = found->second;
  const auto above = std::partition_point(
      began.begin(), began.end(), [&](const Began& each) { return each.place <= spark.place; });
  return above == began.begin() ? Source{} : std::prev(above)->thread;
}

std::uint32_t Threads::code_of(std::uint32_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? unknown : found->second.code;
}

void Threads::convert(const Event& event) {
  Slice thread{.ready = event.time,
               .blocked = event.time,
               .thread = event.id,
               .code = event.value,
               .cause = event.extra != 0 ? Cause::imported : Cause::own_spark,
               .imported = event.extra != 0};
  if (!thread.imported) thread.source = maker(event.size);
  if (const auto found = imports_.find(event.size); thread.imported && found != imports_.end()) {
    const auto& came = found->second;
    thread.ready = thread.blocked = came.time;
    thread.pe = came.from;
    thread.message = came.message;
    imports_.erase(found);
  }
  threads_[event.id] = thread;
}

void Threads::resume(const Event& event) {
  const auto found = threads_.find(event.value);
  if (found == threads_.end()) return;
  auto& thread = found->second;
  thread.ready = event.time;
  thread.message = 0;
  thread.pe = unknown;
  thread.source = {};
  switch (static_cast<trace::Giver>(event.extra)) {
    case trace::Giver::thread:
      thread.cause = Cause::woken_here;
      thread.source = {event.id, code_of(event.id)};
      return;
    case trace::Giver::outside:
      thread.cause = Cause::outside;
      return;
    case trace::Giver::message:
      thread.cause = Cause::resume;
      if (!brought_) return;
      thread.pe = brought_->from;
      thread.message = brought_->message;
  }
}

// Events may be lost: what a worker does next ends what it did.
void Threads::begin(const Event& event) {
  leave(event.worker, event.time);
  end_idle(event.worker, event.time);
  if (is_first(event)) add_idle(from_, event.time);
  const auto known = threads_.find(event.value);
  Slice slice = known != threads_.end()
                    ? known->second
                    : Slice{.ready = event.time, .blocked = event.time, .thread = event.value};
  slice.begin = event.time;
  slice.worker = event.worker;
  running_[event.worker] = slice;
  auto& began = began_[event.worker];
  while (!began.empty() && began.back().place >= event.size) began.pop_back();
  began.push_back({event.size, {slice.thread, slice.code}});
}

void Threads::block(const Event& event) {
  if (const auto running = running_.find(event.worker); running != running_.end()) {
    auto& slice = running->second;
    slice.blocks = true;
    slice.waits_for = event.id;
    slice.waits_elsewhere = event.extra != 0;
    slice.made = event.size;
  }
  leave(event.worker, event.time);
}

void Threads::end(const Event& event) {
  if (const auto running = running_.find(event.worker); running != running_.end()) {
    running->second.finishes = true;
    running->second.made = event.size;
  }
  leave(event.worker, event.time);
  threads_.erase(event.value);
}

void Threads::leave(unsigned worker, Nanos time) {
  const auto running = running_.find(worker);
  if (running == running_.end()) return;
  auto slice = running->second;
  running_.erase(running);
  if (worker < left_.size()) left_[worker] = time;
  slice.end = std::max(slice.begin, time);
  slice.ran += slice.length();
  if (const auto found = threads_.find(slice.thread); found != threads_.end()) {
    auto& thread = found->second;
    thread.ran = slice.ran;
    thread.waited_for = slice.waits_for;
    const bool woken_already = thread.ready > slice.begin;  // by another worker, while it left
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
