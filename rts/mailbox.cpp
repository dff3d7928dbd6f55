#include "rts/mailbox.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "rts/trace/note.hpp"

namespace trawl {

using fabric::Kind;

namespace {

constexpr int messages_a_poll = 64;
constexpr std::size_t fragments_a_turn = std::size_t{512} << 10U;  // in bytes
constexpr std::size_t usual_message = 256;
constexpr std::size_t largest_kept = 4096;  // of the messages whose memory is used again
constexpr auto prefix = fabric::Fragmenter::prefix;
constexpr auto views = fabric::Fragmenter::views;

}  // namespace

// ---- out ---------------------------------------------------------------------------------------

Writer Mailbox::open(Kind kind, int to) {
  auto message = std::exchange(spare_, Writer());
  if (message.room() == 0) message = Writer(usual_message);
  fabric::Fragmenter::begin(message, rooms_.life.view());
  message.put(kind);
  if (fabric::row_of(kind).is(fabric::tables)) {
    auto load = rooms_.workers.load();
    opened_ = rooms_.clock.mark();
    load.measured = opened_.time + rooms_.life.main_clock().offset(opened_.time);
    rooms_.tables.write_piggyback(message, load.measured, load, to);
  }
  return message;
}

Nanos Mailbox::carrying(int from, int to, std::size_t bytes) const {
  const auto one = cluster_of(from);
  const auto other = cluster_of(to);
  return one == other ? 0 : rooms_.tables.links().between(one, other).carrying(bytes);
}

void Mailbox::send(int to, Writer message) {
  const auto kind = static_cast<Kind>(message.view()[prefix]);
  const auto& row = fabric::row_of(kind);
  if (rooms_.life.stopping() && row.flow == fabric::Flow::work) return;
  if (rooms_.life.is_gone(to) && kind != Kind::view) return;
  try {
    pass_on(to, kind, message);
  } catch (const Error& e) {
    // Whoever sends has nobody to tell: it may be a thread in the middle of a program's function.
    if (rooms_.life.recovers()) return rooms_.life.unreachable(to, e.what());
    rooms_.life.fail_or_find_dead("PE " + std::to_string(to) + " is lost: " + e.what(), 1);
  } catch (const std::bad_alloc&) {  // nor can he take back what the message says
    rooms_.life.fail_without_memory();
  }
  message.shrink(0);
  if (message.room() <= largest_kept) spare_ = std::move(message);
  if (!rooms_.clock.polling() && row.is(fabric::tables)) note_sent_by_thread();
}

void Mailbox::pass_on(int to, Kind kind, Writer& message) {
  const auto& row = fabric::row_of(kind);
  if (row.is(fabric::carries_work)) rooms_.deadlock_detector.sent();
  if (row.is(fabric::carries_weight) && rooms_.life.recovers()) rooms_.census.sent(to);
  if (kind == Kind::fetch)
    trace::note<Count::fetch_sent>(rooms_.counters, rooms_.log, 0, static_cast<std::uint32_t>(to));
  if (to == rooms_.fabric.self()) {
    to_self_.push_back(message.take());
    if (!rooms_.clock.polling()) rooms_.fabric.events().notify_progress_thread();
    return;
  }
  if (rooms_.log != nullptr) [[unlikely]]
    rooms_.log->message(trace::Kind::message_sent, to, static_cast<std::uint16_t>(kind),
                        message.size() - prefix);
  rooms_.counters.add(Count::messages_sent);
  rooms_.counters.add(Count::message_bytes, message.size());
  handled_ += message.size();
  const bool far = rooms_.tables.is_far(to);
  if (kind == Kind::resume && far) rooms_.tables.note_result(message.size());
  if (kind == Kind::resume && !far) rooms_.tables.note_near_result(message.size());
  if (kind == Kind::schedule && far) rooms_.tables.note_spark(message.size());
  fragmenter_.send(rooms_.fabric, to, message);
  // A thread sends in the middle of a program's function, which may be a long one.
  const bool more = rooms_.fabric.under_way() || fragmenter_.keeps_any();
  if (!rooms_.clock.polling() && more && !rooms_.workers.state().under_way.exchange(true))
    rooms_.fabric.events().notify_progress_thread();
}

// It was packed and sent in the middle of a program's function.
void Mailbox::note_sent_by_thread() {
  auto* const worker = sched::current_worker();
  if (worker == nullptr || &worker->workers() != &rooms_.workers) return;
  worker->messages.note(take_handled(), [this] { return rooms_.clock.since(opened_); });
}

void Mailbox::send_kept() {
  if (!fragmenter_.keeps_any()) return;
  if (rooms_.life.stopping()) fragmenter_.drop_work();
  handled_ += sched::MessageTime::long_message;
  try {
    fragmenter_.go_on(rooms_.fabric);
  } catch (const Error&) {  // a PE is lost: what is kept for it goes when that is decided
    if (!rooms_.life.recovers()) throw;
    rooms_.life.look_for_the_dead();
  }
}

void Mailbox::forget(int pe, bool hears) {
  fragmenter_.forget_from(pe);
  if (!hears) {
    fragmenter_.forget_for(pe);
    rooms_.fabric.forget(pe);
  }
  std::erase_if(early_, [pe](const auto& message) { return message.first == pe; });
}

bool Mailbox::flushed() {
  return rooms_.fabric.flushed() && !fragmenter_.keeps_any();
}

void Mailbox::note_under_way() noexcept {
  const bool more = fragmenter_.under_way();
  more_to_move_.store(more, std::memory_order_relaxed);
  rooms_.workers.state().under_way.store(
      more || rooms_.fabric.under_way() || (rooms_.life.joined() && !early_.empty()),
      std::memory_order_relaxed);
}

// ---- in ----------------------------------------------------------------------------------------

void Mailbox::take_messages(sched::Worker* by) {
  auto& [fabric, clock, tables, workers, detector, life, census, router, counters, log] = rooms_;
  std::size_t fragments = 0;
  for (int i = 0; i < messages_a_poll && !life.over(); ++i) {
    if (const bool own = !to_self_.empty() || !early_.empty(); own && take_own(by)) continue;
    if (fabric.size() == 1) return;
    const auto arrival = receive();
    if (!arrival) return;
    if (life.is_to_come(arrival->from)) {
      if (!arrival->bytes.empty()) early_.emplace_back(arrival->from, fragmenter_.keep(*arrival));
      continue;
    }
    if (life.is_gone(arrival->from)) {
      fragmenter_.forget_from(arrival->from);
      life.heard_gone(arrival->from);
      continue;
    }
    life.heard(arrival->from);
    handled_ += arrival->bytes.empty() ? fabric.limit() : arrival->bytes.size();
    if (arrival->bytes.empty()) {  // more of a long message
      if ((fragments += fabric.limit()) >= fragments_a_turn) return;
      continue;
    }
    if (i != 0 || arrival->bytes.size() > fabric.limit()) clock.read();
    counters.add(Count::messages_received);
    const auto payload = fabric::Fragmenter::payload(*arrival);
    const bool brings = fabric::row_of(payload).is(fabric::brings_work);
    if (must_wait(payload) || is_ahead(arrival->bytes)) {
      early_.emplace_back(arrival->from, fragmenter_.keep(*arrival));
      continue;
    }
    arriving_ = &*arrival;
    deliver(arrival->from, arrival->bytes, clock.time(), by);
    // That goes first; whoever begins it finds what else has come.
    if (by != nullptr && brings && fabric.all_notify() && to_self_.empty() &&
        (by->running() || workers.threads().size() != 0 || workers.has_imported()))
      return;
  }
}

// Its result is made where it is read: a copy would wait for what has just been written piecewise.
std::optional<fabric::Arrival> Mailbox::receive() {
  try {
    return fragmenter_.receive(rooms_.fabric);
  } catch (const BadBytes& e) {
    throw Error(e.what());
  }
}

// What came from this PE itself, or had to wait.
bool Mailbox::take_own(sched::Worker* by) {
  arriving_ = nullptr;
  const auto now = rooms_.clock.time();
  if (!to_self_.empty() && !must_wait(std::span(to_self_.front()).subspan(prefix))) {
    const auto message = std::move(to_self_.front());
    to_self_.pop_front();
    handled_ += message.size();
    deliver(rooms_.fabric.self(), message, now, by);
    return true;
  }
  if (rooms_.life.view() == 0 && (!rooms_.life.joined() || outside_)) return false;
  const auto next = std::find_if(early_.begin(), early_.end(), [this](const auto& each) {
    return !rooms_.life.is_gone(each.first) && !is_ahead(each.second) &&
           !must_wait(std::span(each.second).subspan(prefix));
  });
  if (next == early_.end()) return false;
  const auto [from, message] = std::move(*next);
  early_.erase(next);
  handled_ += message.size();
  deliver(from, message, now, by);
  return true;
}

// What its sender knows of the dead has to be known here first: what it says may rest on that.
bool Mailbox::is_ahead(std::span<const std::byte> message) const {
  if (!rooms_.life.recovers()) return false;
  return views_behind(message) > views / 2 &&
         fabric::row_of(message.subspan(prefix)).kind != Kind::view;
}

// More than half of `views`: it is ahead.
std::size_t Mailbox::views_behind(std::span<const std::byte> message) const noexcept {
  return (rooms_.life.view() - fabric::Fragmenter::view_of(message)) % views;
}

void Mailbox::deliver(int from, std::span<const std::byte> message, Nanos now, sched::Worker* by) {
  const auto payload = message.subspan(prefix);
  const auto read = [&] { rooms_.router.deliver(from, payload, now, by); };
  if (!rooms_.life.recovers()) return read();
  try {
    if (!fabric::row_of(payload).is(fabric::carries_weight) || rooms_.life.stopping())
      return read();
    recover::Census::Reading reading(
        rooms_.census, from,
        static_cast<std::uint32_t>(rooms_.life.view() - views_behind(message)));
    read();
    reading.done();
  } catch (const fabric::Gone&) {  // it has lent what it can't be asked for any more
  } catch (const BadBytes& e) {    // of what its census has found
    throw Error("PE " + std::to_string(rooms_.fabric.self()) + ", counting weights: " + e.what());
  }
}

bool Mailbox::must_wait(std::span<const std::byte> message) const {
  const auto& row = fabric::row_of(message);
  return row.fate(rooms_.life.phase()) == fabric::Fate::wait ||
         (outside_ && row.is(fabric::brings_nodes));
}

// ---- a message that takes long to read ---------------------------------------------------------

std::span<const std::byte> Mailbox::hold(std::span<const std::byte> message) {
  if (arriving_ == nullptr) return message;
  const auto at = message.data() - arriving_->bytes.data();
  held_ = fragmenter_.keep(*arriving_);
  return std::span<const std::byte>(held_).subspan(static_cast<std::size_t>(at), message.size());
}

void Mailbox::step_out() {
  outside_ = true;
  handled_ = 0;  // step_in says that there was much
  rooms_.clock.end();
  lock_.unlock();
}

void Mailbox::step_in() noexcept {
  lock_.lock();
  rooms_.clock.resume();
  outside_ = false;
  handled_ += sched::MessageTime::long_message;
}

}  // namespace trawl
