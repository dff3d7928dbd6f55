#include "rts/pe.hpp"

#include <algorithm>

#include "rts/heap/collect.hpp"

namespace trawl {
namespace {

constexpr int turns_a_poll = 64;

heap::PackLimits pack_limits(const Options& options) {
  return {options.packet_size, options.thunks_per_packet};
}

Nanos silence(const Options& options) {
  return static_cast<Nanos>(options.silence * 1e9);
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
      pause_(setup.pause),
      clock_(fabric, progress_.last_poll),
      log_(open_log(setup, fabric)),
      tables_(fabric.self(), fabric.size()),
      workers_({setup.options, setup.workers, log_.get(), setup.pause}, *this, fabric, progress_),
      shared_heap_(static_cast<std::uint32_t>(fabric.self()),
                   static_cast<std::uint32_t>(fabric.size()), setup.full_weight,
                   pack_limits(setup.options), fabric.memory(), mailbox_, counters_,
                   [this](heap::Node* spark) { workers_.add_imported(spark); }),
      fishing_(setup.options, setup.seed, tables_, workers_, mailbox_, counters_),
      deadlock_detector_(fabric.self(), fabric.size(), workers_, mailbox_, silence(setup.options)),
      life_(setup.facts, silence(setup.options), fabric, tables_, mailbox_,
            life_hooks(std::move(over))),
      router_({tables_, shared_heap_, fishing_, deadlock_detector_, life_, log_.get()}),
      mailbox_({fabric, clock_, tables_, workers_, deadlock_detector_, life_, router_, counters_,
                log_.get()},
               lock_, [this] { poll_once(nullptr); }),
      housekeeping_(life_, chores()) {
  const std::lock_guard lock(lock_);
  life_.begin(fabric_.now());
}

life::Life::Hooks Pe::life_hooks(std::function<void(const Outcome&)> over) {
  return {.joined =
              [this] {
                if (log_ != nullptr) log_->set_offset(-life_.begun());
              },
          .stopped =
              [this] {
                progress_.stopping = true;
                workers_.wake_all();
              },
          .statistics = [this] { return statistics(); },
          .over =
              [this, over = std::move(over)](const Outcome& outcome) {
                if (log_ != nullptr) log_->close();
                over(outcome);
              }};
}

// In this order: who finds that the run is over, or can't go on, keeps the rest from being done.
std::vector<Housekeeping::Chore> Pe::chores() {
  using When = Housekeeping::When;
  std::vector<Housekeeping::Chore> list;
  const auto add = [&list](When when, Nanos interval, auto work) {
    list.push_back({when, interval, [work](Nanos now, sched::Worker* by) { work(now, by); }});
  };
  const bool alone = fabric_.size() == 1;
  add(When::always, 0, [this](Nanos now, auto*) { life_.look_at_clock(now); });
  // A simulated run must not depend on when the collector runs.
  if (pause_ == nullptr) add(When::always, 0, [this](Nanos, auto*) { sweep(); });
  add(When::always, 5'000'000, [this](Nanos, auto*) { life_.look_for_the_dead(); });
  add(When::always, 0, [this](Nanos, auto*) { life_.look_for_the_end(mailbox_.flushed()); });
  if (!alone) add(When::until_stopping, 0, [this](Nanos now, auto*) { life_.beat(now); });
  if (log_ != nullptr) {
    add(When::while_running, 500'000'000, [this](Nanos, auto*) { log_->save(); });
    add(When::while_running, 100'000, [this](Nanos, auto*) { note_load(); });
  }
  if (!alone) add(When::while_running, 0, [this](Nanos, auto*) { shared_heap_.send_frees(); });
  if (self() == 0)
    add(When::while_running, 0, [this](Nanos, sched::Worker* by) { look_for_deadlock(by); });
  return list;
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
  life_.finish(code);
}

void Pe::fail(const std::string& why, int code) {
  const std::lock_guard lock(lock_);
  life_.fail(why, code);
}

void Pe::fail_without_memory() noexcept {
  const std::lock_guard lock(lock_);
  life_.fail_without_memory();
}

// ---- polling -----------------------------------------------------------------------------------

// While a long message is under way and there is nothing else to do: over TCP each look brings but
// 8 KiB of it. Others can have the lock after each turn.
bool Pe::poll(sched::Worker* by) {
  if (!poll_once(by)) return false;
  for (int turns = 1; turns < turns_a_poll && mailbox_.more_to_move(); ++turns)
    if ((by != nullptr && workers_.threads().size() != 0) || !poll_once(by)) break;
  return true;
}

bool Pe::poll_once(sched::Worker* by) {
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock) return false;
  if (life_.over()) return true;
  clock_.begin(by != nullptr && by->has_listened() && fabric_.waiting());
  try {
    mailbox_.take_messages(by);
    fish(by);
    if (housekeeping_.due(clock_.time())) {
      heap::clear_finished_calls();  // else what a message has brought may live for long
      housekeeping_.keep(clock_.time(), by);
    }
    mailbox_.send_kept();  // the last thing: it goes on failing where a PE is lost
  } catch (const Error& e) {
    life_.fail(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    life_.fail_without_memory();
  }
  clock_.end();
  mailbox_.note_under_way();
  return true;
}

void Pe::fish(sched::Worker* by) {
  if (fabric_.size() == 1 || !life_.joined() || life_.stopping()) return;
  fishing_.serve(by, clock_.time());
  fishing_.consider();
}

// ---- housekeeping ------------------------------------------------------------------------------

void Pe::sweep() {
  heap::run_finalisers();
  shared_heap_.addresses().sweep();
}

void Pe::note_load() {
  const auto load = workers_.load();
  log_->event(trace::Kind::load, 0, load.sparks,
              static_cast<std::uint16_t>(std::min(load.runnable, 65535U)));
}

void Pe::look_for_deadlock(sched::Worker* by) {
  const auto deadlock = deadlock_detector_.look(life_.waking_time(), by);
  if (!deadlock.empty()) life_.fail(deadlock, 1);
}

// ---- accounts ----------------------------------------------------------------------------------

void Pe::note_collection(bool begins) noexcept {
  trace::note(log(), begins ? trace::Kind::gc_begin : trace::Kind::gc_end, 0);
  const auto time = fabric_.now();
  if (begins) return collections_.begin(time, workers_);
  if (!life_.joined()) return;
  clock_.set_last_poll(time);
  collections_.end(time);
}

Statistics Pe::statistics() {
  return gather(counters_, workers_, shared_heap_, collections_);
}

}  // namespace trawl
