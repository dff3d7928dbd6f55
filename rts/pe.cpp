#include "rts/pe.hpp"

#include <algorithm>

#include "rts/heap/collect.hpp"

namespace trawl {

using fabric::Kind;

namespace {

constexpr int messages_a_poll = 64;
constexpr std::size_t fragments_a_turn = std::size_t{512} << 10U;  // in bytes
constexpr int turns_a_poll = 64;
constexpr std::size_t usual_message = 256;
constexpr std::size_t largest_kept = 4096;  // of the messages whose memory is used again
constexpr Nanos sleep_with_messages_under_way = 50'000;
constexpr Nanos longest_sleep_with_bell = 6'000'000;   // to keep house; see sched/spares.cpp
constexpr Nanos longest_sleep_without_bell = 600'000;  // a message is answered within a millisecond
constexpr Nanos housekeeping_interval = 20'000;
constexpr Nanos load_event_interval = 100'000;
constexpr Nanos failure_patience = 1'000'000'000;
constexpr Nanos start_patience = 10'000'000'000;  // over --trawl:silence
constexpr Nanos between_looks_for_the_dead = 5'000'000;
constexpr Nanos between_saves = 500'000'000;  // of the event log

heap::PackLimits pack_limits(const Options& options) {
  return {options.packet_size, options.thunks_per_packet};
}

// Before PEs know each other, and when they part, tables are of no use.
bool carries_tables(Kind kind) {
  return kind <= Kind::work_available || kind == Kind::probe || kind == Kind::state;
}

bool carries_work(Kind kind) {
  return kind == Kind::schedule || kind == Kind::fetch || kind == Kind::resume || kind == Kind::ack;
}

// What comes with one may refer to nodes that another fills.
bool brings_nodes(Kind kind) {
  return kind == Kind::schedule || kind == Kind::resume || kind == Kind::ack;
}

// Somebody here can go on once it has come.
bool brings_work(std::span<const std::byte> message) {
  if (message.empty()) return false;
  const auto kind = static_cast<Kind>(message.front());
  return kind == Kind::schedule || kind == Kind::resume;
}

bool is_for_strangers(Kind kind) {
  return kind == Kind::hello || kind == Kind::welcome || kind == Kind::ping || kind == Kind::pong ||
         kind == Kind::fail || kind == Kind::bye;
}

std::unique_ptr<trace::Log> open_log(const Pe::Setup& setup, const fabric::Fabric& fabric) {
  if (setup.options.trace.empty()) return nullptr;
  trace::Setup log;
  log.dir = setup.options.trace;
  log.pe = fabric.self();
  log.pes = fabric.size();
  log.workers = setup.workers;
  log.speed = setup.facts.speed;
  log.program = setup.program;
  log.cluster = setup.facts.cluster;
  log.host = setup.facts.host;
  log.clock = [&fabric] { return fabric.now(); };
  return std::make_unique<trace::Log>(log);
}

}  // namespace

Pe::Pe(const Setup& setup, fabric::Fabric& fabric, std::function<void(const Outcome&)> over)
    : fabric_(fabric),
      over_(std::move(over)),
      pause_(setup.pause),
      no_memory_{1, "PE " + std::to_string(fabric.self()) + " has no memory left", {}},
      awake_(fabric.now()),
      tables_(fabric.self(), fabric.size()),
      log_(open_log(setup, fabric)),
      workers_(setup.options, setup.workers, *this),
      shared_heap_(static_cast<std::uint32_t>(fabric.self()),
                   static_cast<std::uint32_t>(fabric.size()), setup.full_weight,
                   pack_limits(setup.options), fabric.memory(), *this, counters_,
                   [this](heap::Node* spark) { workers_.add_imported(spark); }),
      fishing_(setup.options, setup.seed, tables_, workers_, *this, counters_),
      deadlock_detector_(fabric.self(), fabric.size(), workers_, *this,
                         static_cast<Nanos>(setup.options.silence * 1e9)),
      alive_(fabric.self(), fabric.size(), static_cast<Nanos>(setup.options.silence * 1e9)),
      start_(fabric.self(), fabric.size(), setup.facts, tables_, *this),
      ending_(fabric.self(), fabric.size(), *this) {
  const std::lock_guard lock(lock_);
  start_.begin(now());
  check_joined();
}

void Pe::start_root(std::function<int()> root) {
  workers_[0].start_root([this, root = std::move(root)] {
    try {
      finish(root());
    } catch (const std::bad_alloc&) {
      fail_without_memory();
    }
  });
}

void Pe::finish(int code) {
  const std::lock_guard lock(lock_);
  ending_.finish(code, awake_.now(), statistics(), round_trip());
  stopping_ = true;
  workers_.wake_all();
}

// ---- messages ----------------------------------------------------------------------------------

Writer Pe::open(Kind kind, int to) {
  auto message = std::exchange(spare_, Writer());
  if (message.room() == 0) message = Writer(usual_message);
  fabric::Fragmenter::begin(message);
  message.put(kind);
  if (carries_tables(kind)) {
    auto load = workers_.load();
    load.measured = (polling_ ? time_ : now()) + start_.clock_offset();
    tables_.write_piggyback(message, load.measured, load, to);
  }
  return message;
}

void Pe::send(int to, Writer message) {
  const auto kind = static_cast<Kind>(message.view()[fabric::Fragmenter::prefix]);
  if (stopping_ && kind <= Kind::work_available) return;
  if (carries_work(kind)) deadlock_detector_.sent();
  if (to == self()) {
    to_self_.push_back(message.take());
    if (!polling_) bell().ring_doorman();
    return;
  }
  counters_.add(Count::messages_sent);
  counters_.add(Count::message_bytes, message.size());
  trace::note(log(), trace::Kind::message_sent, 0, static_cast<std::uint32_t>(to),
              static_cast<std::uint16_t>(kind));
  if (kind == Kind::fetch)
    trace::note(log(), trace::Kind::fetch_sent, 0, static_cast<std::uint32_t>(to));
  try {
    fragmenter_.send(fabric_, to, message);
    // A thread sends in the middle of a program's function, which may be a long one.
    const bool more = fabric_.under_way() || fragmenter_.keeps_any();
    if (!polling_ && more && !under_way_.exchange(true)) bell().ring_doorman();
  } catch (const Error& e) {
    // Whoever sends has nobody to tell: it may be a thread in the middle of a program's function.
    fail_locked("PE " + std::to_string(to) + " is lost: " + e.what(), 1);
  } catch (const std::bad_alloc&) {  // nor can he take back what the message says
    fail_locked(no_memory_.error, 1);
  }
  message.shrink(0);
  if (message.room() <= largest_kept) spare_ = std::move(message);
}

// While a long message is under way and there is nothing else to do: over TCP each look brings but
// 8 KiB of it. Others can have the lock after each turn.
bool Pe::poll(sched::Worker* by) {
  if (!poll_once(by)) return false;
  for (int turns = 1; turns < turns_a_poll && more_to_move_; ++turns)
    if ((by != nullptr && workers_.threads().size() != 0) || !poll_once(by)) break;
  return true;
}

bool Pe::poll_once(sched::Worker* by) {
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return false;
  if (ended_) return true;
  polling_ = true;
  read_clock(by);
  try {
    take_messages(by);
    fish(by);
    if (time_ >= next_housekeeping_ && !ended_) {
      heap::clear_finished_calls();  // else what a message has brought may live for long
      keep_house(by);
    }
    send_kept();
  } catch (const Error& e) {
    fail_locked(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    fail_locked(no_memory_.error, 1);
  }
  polling_ = false;
  more_to_move_.store(fragmenter_.under_way(), std::memory_order_relaxed);
  under_way_.store(fabric_.under_way() || fragmenter_.under_way() || (joined_ && !early_.empty()),
                   std::memory_order_relaxed);
  return true;
}

// The last thing in a poll: it goes on failing where a PE is lost.
void Pe::send_kept() {
  if (!fragmenter_.keeps_any()) return;
  if (stopping_) fragmenter_.drop_long();
  fragmenter_.go_on(fabric_);
}

bool Pe::flushed() {
  return fabric_.flushed() && !fragmenter_.keeps_any();
}

// ---- a message that takes long to read ---------------------------------------------------------

std::span<const std::byte> Pe::hold(std::span<const std::byte> message) {
  if (arriving_ == nullptr) return message;
  const auto at = message.data() - arriving_->bytes.data();
  held_ = fragmenter_.keep(*arriving_);
  return std::span<const std::byte>(held_).subspan(static_cast<std::size_t>(at), message.size());
}

void Pe::step_out() {
  outside_ = true;
  polling_ = false;
  lock_.unlock();
}

void Pe::step_in() noexcept {
  lock_.lock();
  polling_ = true;
  outside_ = false;
}

// ------------------------------------------------------------------------------------------------

// It takes as long as a short message does. Who only listened since his last poll has just read it,
// but not when messages keep coming.
void Pe::read_clock(sched::Worker* by) {
  clock_skipped_ = by != nullptr && by->has_listened() && !clock_skipped_ && waiting();
  if (clock_skipped_) return;
  time_ = now();
  last_poll_.store(time_, std::memory_order_relaxed);
}

Nanos Pe::longest_sleep() const noexcept {
  // Who attends sees to it, and rings for the doorman if he leaves something undone.
  if (fabric_.all_ring() && fabric_.bell().attended()) return longest_sleep_with_bell;
  if (under_way() || waiting()) return sleep_with_messages_under_way;
  return fabric_.all_ring() ? longest_sleep_with_bell : longest_sleep_without_bell;
}

void Pe::take_messages(sched::Worker* by) {
  std::size_t fragments = 0;
  for (int i = 0; i < messages_a_poll && !ended_; ++i) {
    if (const bool own = !to_self_.empty() || !early_.empty(); own && take_own(by)) continue;
    if (fabric_.size() == 1) return;
    const auto arrival = receive();
    if (!arrival) return;
    alive_.heard(arrival->from, awake_.now());
    ending_.heard(arrival->from, awake_.now());
    if (arrival->bytes.empty()) {  // more of a long message
      if ((fragments += fabric_.limit()) >= fragments_a_turn) return;
      continue;
    }
    if (i != 0 || arrival->bytes.size() > fabric_.limit()) time_ = now();
    counters_.add(Count::messages_received);
    const auto payload = fabric::Fragmenter::payload(*arrival);
    const bool brings = brings_work(payload);
    if (must_wait(payload)) {
      early_.emplace_back(arrival->from, fragmenter_.keep(*arrival));
      continue;
    }
    arriving_ = &*arrival;
    deliver(arrival->from, payload, by);
    // That goes first; whoever begins it finds what else has come.
    if (by != nullptr && brings && fabric_.all_ring() && to_self_.empty() &&
        (by->running() || workers_.threads().size() != 0 || workers_.has_imported()))
      return;
  }
}

// Its result is made where it is read: a copy would wait for what has just been written piecewise.
std::optional<fabric::Arrival> Pe::receive() {
  try {
    return fragmenter_.receive(fabric_);
  } catch (const BadBytes& e) {
    throw Error(e.what());
  }
}

// What came from this PE itself, or had to wait.
bool Pe::take_own(sched::Worker* by) {
  arriving_ = nullptr;
  const auto prefix = fabric::Fragmenter::prefix;
  if (!to_self_.empty() && !must_wait(std::span(to_self_.front()).subspan(prefix))) {
    const auto message = std::move(to_self_.front());
    to_self_.pop_front();
    deliver(self(), std::span(message).subspan(prefix), by);
    return true;
  }
  if (!joined_ || outside_ || early_.empty()) return false;
  const auto [from, message] = std::move(early_.front());
  early_.pop_front();
  deliver(from, std::span(message).subspan(prefix), by);
  return true;
}

bool Pe::must_wait(std::span<const std::byte> message) const {
  if (message.empty()) return !joined_;
  const auto kind = static_cast<Kind>(message.front());
  return (!joined_ && !is_for_strangers(kind)) || (outside_ && brings_nodes(kind));
}

void Pe::deliver(int from, std::span<const std::byte> bytes, sched::Worker* by) {
  Reader message(bytes);
  std::string_view name = "message";
  try {
    const auto number = message.get<std::uint8_t>();
    if (number >= fabric::kinds) throw BadBytes("it is of unknown kind");
    const auto kind = static_cast<Kind>(number);
    name = fabric::name_of(kind);
    trace::note(log(), trace::Kind::message_received, 0, static_cast<std::uint32_t>(from), number);
    if (carries_tables(kind)) {
      const auto common = time_ + start_.clock_offset();
      const auto load = tables_.read_piggyback(message, from, common);
      if (from != self()) tables_.note_latency(self(), from, {common - load.measured, common});
    }
    dispatch(kind, message, from, by);
    // Not before: while it is read, others may ask whether anything is under way.
    if (carries_work(kind)) deadlock_detector_.received();
  } catch (const BadBytes& e) {
    throw Error("PE " + std::to_string(from) + " sent PE " + std::to_string(self()) + " a bad " +
                std::string(name) + ": " + e.what());
  } catch (const std::bad_alloc&) {
    throw Error("PE " + std::to_string(self()) + " has no memory for the " + std::string(name) +
                " that PE " + std::to_string(from) + " sent it");
  }
}

void Pe::dispatch(Kind kind, Reader& message, int from, sched::Worker* by) {
  if (stopping_ && kind <= Kind::work_available) return;
  switch (kind) {
    case Kind::fish:
      return fishing_.on_fish(message, by, time_);
    case Kind::schedule:
      trace::note(log(), trace::Kind::spark_import, 0, static_cast<std::uint32_t>(from));
      if (shared_heap_.on_schedule(message)) fishing_.caught();
      return;
    case Kind::fetch:
      return shared_heap_.on_fetch(message);
    case Kind::resume:
      trace::note(log(), trace::Kind::resume_received, 0, static_cast<std::uint32_t>(from));
      return shared_heap_.on_resume(message);
    case Kind::ack:
      return shared_heap_.on_ack(message);
    case Kind::free:
      return shared_heap_.on_free(message);
    case Kind::work_available:
      return fishing_.on_work_available(from);
    case Kind::hello:
      return start_.on_hello(message, from, time_);
    case Kind::welcome:
      start_.on_welcome(message, time_);
      return check_joined();
    case Kind::ping:
      return start_.on_ping(message, from, time_);
    case Kind::pong:
      start_.on_pong(message, from, time_);
      return check_joined();
    case Kind::probe:
      return deadlock_detector_.on_probe(message, by);
    case Kind::state:
      return deadlock_detector_.on_state(message, from);
    case Kind::finish:
      ending_.on_finish(message, awake_.now(), statistics(), round_trip());
      stopping_ = true;
      return workers_.wake_all();
    case Kind::bye:
      if (!failure_) return ending_.on_bye(message, from);
      failure_missing_ -= failure_missing_ > 0 ? 1 : 0;
      return;
    case Kind::leave:
      return ending_.on_leave();
    case Kind::fail:
      return on_fail(message);
  }
}

void Pe::check_joined() {
  if (joined_ || !start_.complete()) return;
  joined_ = true;
  alive_.begin(awake_.now());
  if (log_ != nullptr) log_->set_offset(start_.clock_offset() - start_.begun());
}

// ---- what is due now and then ------------------------------------------------------------------

void Pe::fish(sched::Worker* by) {
  if (fabric_.size() == 1 || !joined_ || stopping_) return;
  fishing_.serve(by, time_);
  fishing_.consider();
}

void Pe::keep_house(sched::Worker* by) {
  next_housekeeping_ = time_ + housekeeping_interval;
  awake_.look(time_);
  // A simulated run must not depend on when the collector runs.
  if (pause_ == nullptr) sweep();
  look_for_the_dead();
  if (failure_) {
    if ((failure_missing_ == 0 && flushed()) || awake_.now() >= failure_deadline_) end(*failure_);
    return;
  }
  if (const auto outcome = ending_.over(awake_.now(), flushed())) return end(*outcome);
  if (stopping_) return;
  if (fabric_.size() > 1) beat();
  if (!joined_) return;
  note_load(time_);
  if (fabric_.size() > 1) shared_heap_.send_frees();
  if (self() == 0) {
    const auto deadlock = deadlock_detector_.look(awake_.now(), by);
    if (!deadlock.empty()) fail_locked(deadlock, 1);
  }
}

void Pe::sweep() {
  heap::run_finalisers();
  shared_heap_.addresses().sweep();
}

// Those whose processes can be seen from here; of others their silence tells.
void Pe::look_for_the_dead() {
  if (time_ < next_look_for_the_dead_) return;
  next_look_for_the_dead_ = time_ + between_looks_for_the_dead;
  while (const auto pe = fabric_.dead()) {
    const bool speaks = *pe != 0 || self() == 1;  // for the main PE, whom others see dying too
    if (!stopping_)
      fail_locked(speaks ? "PE " + std::to_string(*pe) + " is lost: its process has ended" : "", 1);
    if (failure_)  // who was to hear of it, or the main PE, who was to say it
      failure_missing_ -= failure_missing_ > 0 && (self() == 0 || *pe == 0) ? 1 : 0;
    else
      ending_.dead(*pe);
  }
}

void Pe::beat() {
  for (const int pe : alive_.due(time_)) {
    auto message = open(Kind::ping, pe);
    message.put(time_);
    send(pe, std::move(message));
    if (const auto lost = alive_.lost(awake_.now() - (joined_ ? 0 : start_patience))) {
      fail_locked("PE " + std::to_string(*lost) +
                      " is lost: nothing has been heard of it for too long "
                      "(--trawl:silence)",
                  1);
      return;
    }
  }
}

void Pe::note_load(Nanos time) {
  if (log_ == nullptr) return;
  if (time >= next_save_) {
    next_save_ = time + between_saves;
    log_->save();
  }
  if (time < next_load_event_) return;
  next_load_event_ = time + load_event_interval;
  const auto load = workers_.load();
  log_->event(trace::Kind::load, 0, load.sparks,
              static_cast<std::uint16_t>(std::min(load.runnable, 65535U)));
}

// ---- the end -----------------------------------------------------------------------------------

void Pe::fail(const std::string& why, int code) {
  const std::lock_guard lock(lock_);
  fail_locked(why, code);
}

void Pe::fail_without_memory() noexcept {
  const std::lock_guard lock(lock_);
  fail_locked(no_memory_.error, 1);
}

// One PE speaks for all: the main PE says why and passes it on, and leaves when all others have
// heard it. They only speak themselves when it does not.
void Pe::fail_locked(std::string_view why, int code) noexcept {
  if (failure_) return;
  auto outcome = std::move(no_memory_);
  try {
    outcome.error = why;
    outcome.code = code;
  } catch (const std::bad_alloc&) {  // then it says that
  }
  begin_failure(std::move(outcome), self() == 0 ? fabric_.size() - 1 : 1);
  const int first = self() == 0 ? 1 : 0;
  const int last = self() == 0 ? fabric_.size() : 1;
  for (int pe = first; pe < last; ++pe) tell_of_failure(pe);
}

// Twice: what there was no memory for the first time may have freed some. Who is not told finds out
// by our silence.
void Pe::tell_of_failure(int pe) noexcept {
  for (int tries = 0; tries < 2; ++tries) {
    try {
      auto message = open(Kind::fail, pe);
      message.put(failure_->code);
      message.put_string(failure_->error);
      return send(pe, std::move(message));
    } catch (const std::bad_alloc&) {
    }
  }
}

void Pe::on_fail(Reader& message) {
  const auto code = message.get<int>();
  const auto why = message.get_string();
  if (self() == 0) return fail_locked(why, code);
  begin_failure(Outcome{code, {}, {}}, 0);
  auto bye = open(Kind::bye, 0);
  bye.put(Statistics{});
  send(0, std::move(bye));
}

void Pe::begin_failure(Outcome outcome, int missing) {
  stopping_ = true;
  failure_ = std::move(outcome);
  failure_missing_ = missing;
  failure_deadline_ = awake_.now() + failure_patience;
  workers_.wake_all();
}

// As it was at the start, or is now; that may be long because somebody was late once.
Nanos Pe::round_trip() const {
  constexpr Nanos most = 500'000'000;
  Nanos one_way = 0;
  for (int pe = 0; pe < (self() == 0 ? fabric_.size() : 1); ++pe)
    one_way = std::max(one_way, tables_.latency_to(pe).one_way);
  return std::max(start_.round_trip(), std::min(2 * one_way, most));
}

void Pe::end(const Outcome& outcome) {
  if (log_ != nullptr) log_->close();
  over_(outcome);
  ended_ = true;
}

// Workers stand still meanwhile; the first may go on before the end is noted.
void Pe::note_collection(bool begins) noexcept {
  trace::note(log(), begins ? trace::Kind::gc_begin : trace::Kind::gc_end, 0);
  if (begins) {
    collection_begun_ = now();
    idle_in_collection_ = busy_in_collection_ = 0;
    for (const auto& worker : workers_.all()) {
      if (!worker->idle())
        ++busy_in_collection_;
      else if (!workers_.is_spare(*worker))
        ++idle_in_collection_;
    }
  } else if (joined_) {
    const auto time = now() - collection_begun_;
    last_poll_.store(collection_begun_ + time, std::memory_order_relaxed);  // else no longer recent
    collected_while_idle_ += time * idle_in_collection_;
    collected_while_busy_ += time * busy_in_collection_;
  }
}

// Workers run on meanwhile. What became of all sparks is read first, how many were made last, and
// in between what takes some out of the first: so never more is used than was made.
Statistics Pe::statistics() const {
  Statistics sum{};
  Nanos idle = -collected_while_idle_;
  Nanos busy = -collected_while_busy_;
  const auto at = [&sum](Count count) -> std::uint64_t& {
    return sum[static_cast<std::size_t>(count)];
  };
  auto& workers = const_cast<sched::Workers&>(workers_);
  for (const auto& worker : workers.all()) {
    add_to(sum, worker->counters);
    at(Count::sparks_fizzled) += worker->pool.fizzled();
  }
  add_to(sum, counters_);
  std::uint64_t twice = 0;
  std::uint64_t created = 0;
  for (const auto& worker : workers.all()) {
    auto& pool = worker->pool;
    twice += pool.taken_twice();
    const auto refused_calls = pool.refused_calls();
    const auto promoted = pool.promoted();
    const auto calls = pool.calls();
    at(Count::sparks_ignored) += pool.refused() + refused_calls;
    at(Count::sparks_subsumed) += calls - refused_calls - promoted;
    created += calls;
  }
  at(Count::sparks_fizzled) -= std::min(twice, at(Count::sparks_fizzled));
  for (const auto& each : workers.all()) {
    const auto& worker = *each;
    created += worker.counters[Count::sparks_created];
    const auto idle_time = worker.idle_time();
    if (!workers.is_spare(worker)) idle += idle_time;
    busy += worker.life_time() - idle_time;
  }
  at(Count::sparks_created) = created + counters_[Count::sparks_created];
  at(Count::idle_time) = static_cast<std::uint64_t>(std::max<Nanos>(0, idle));
  at(Count::busy_time) = static_cast<std::uint64_t>(std::max<Nanos>(0, busy));
  const auto collector = heap::collector_statistics();
  at(Count::gc_count) = collector.collections;
  at(Count::gc_time) = static_cast<std::uint64_t>(collector.time);
  at(Count::heap_bytes) = collector.heap_bytes;
  auto& addresses = const_cast<heap::SharedHeap&>(shared_heap_).addresses();
  at(Count::slots) = addresses.slots();
  at(Count::proxies) = addresses.proxies();
  return sum;
}

}  // namespace trawl
