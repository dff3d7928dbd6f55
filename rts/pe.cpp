#include "rts/pe.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/collect.hpp"
#include "rts/host/executable.hpp"
#include "rts/inline/error.hpp"
#include "rts/recover/again.hpp"
#include "rts/sched/recorder.hpp"
#include "rts/trace/codes.hpp"

namespace trawl {
namespace {

constexpr int turns_a_poll = 64;

// A simulated run's silence is endless.
constexpr Nanos longest_patience = 600'000'000'000;

Nanos in_nanos(double seconds) {
  return static_cast<Nanos>(seconds * 1e9);
}

heap::PackLimits pack_limits(const Options& options) {
  return {options.packet_size, options.thunks_per_packet};
}

// A log without them can be read as well.
void write_codes(const std::string& dir) {
  const auto& codes = heap::CodeTable::get();
  std::vector<std::string> names;
  for (std::uint32_t id = 0; id < codes.size(); ++id) {
    const auto& code = codes.at(id);
    names.push_back(std::string(code.placed ? 1 : 0, trace::placed_mark) + heap::short_name(code));
  }
  std::ofstream(std::filesystem::path(dir) / trace::codes_file, std::ios::trunc)
      << trace::encode_codes(names);
}

std::unique_ptr<trace::Log> open_log(const Pe::Setup& setup, const fabric::Fabric& fabric) {
  if (setup.options.trace.empty()) return nullptr;
  trace::Setup log;
  log.dir = setup.options.trace;
  log.pe = fabric.self();
  log.pes = fabric.size();
  log.workers = setup.workers;
  log.thread_limit = static_cast<int>(setup.options.thread_limit);
  log.speed = setup.facts.speed;
  log.program = setup.program;
  log.cluster = setup.facts.cluster;
  log.host = setup.facts.host;
  log.file = executable().path;
  log.build = executable().build;
  log.clock = [&fabric] { return fabric.now(); };
  auto opened = std::make_unique<trace::Log>(log);
  if (log.pe == 0) write_codes(log.dir);
  return opened;
}

std::unique_ptr<sched::Recorder> open_recording(const Pe::Setup& setup,
                                                const fabric::Fabric& fabric) {
  const auto& file = setup.options.record;
  if (file.empty()) return nullptr;
  if (fabric.size() != 1 || setup.workers != 1)
    throw Error(
        "--trawl:record is for one PE with one worker: start the program without mpiexec, and "
        "without --trawl:workers",
        2);
  return std::make_unique<sched::Recorder>(file, setup.program);
}

// A thirtieth of the time for collections that nobody needs is enough.
void give_memory_back() {
  constexpr Nanos seldom = 5'000'000'000;
  heap::give_back(std::max(seldom, 100 * heap::collector_statistics().last));
}

// As the kernel ends those that trawl-run has started itself. The other PEs end with this one.
void end_with_launcher() {
  if (fabric::is_launcher_gone()) kill(getpid(), SIGKILL);
}

watch::Watch::Setup watch_setup(const Pe::Setup& setup) {
  return {setup.shown, setup.options.progress, setup.program, setup.facts.host};
}

// A simulated PE's processor is as slow as it is, and measured so.
std::function<double()> share_of_core(const Pe::Setup& setup) {
  if (setup.processor != nullptr) return {};
  return [share = setup.share, pace = setup.pace] { return share * (pace ? pace() : 1); };
}

}  // namespace

Pe::Pe(const Setup& setup, fabric::Fabric& fabric, std::function<void(const life::Outcome&)> over)
    : fabric_(fabric),
      simulated_(setup.pause != nullptr),
      recovers_(fabric.survives_deaths() && setup.options.recover != "off"),
      clock_(fabric, progress_.last_poll),
      log_(open_log(setup, fabric)),
      recorder_(open_recording(setup, fabric)),
      tables_(fabric.self(), fabric.size()),
      workers_({setup.options, setup.workers, log_.get(), setup.pause, setup.work, setup.processor,
                share_of_core(setup), recorder_.get(), setup.throttle},
               *this, fabric, progress_),
      shared_heap_(
          static_cast<std::uint32_t>(fabric.self()), static_cast<std::uint32_t>(fabric.size()),
          setup.full_weight, pack_limits(setup.options), fabric.memory(), mailbox_, counters_,
          [this](heap::Node* spark) { workers_.add_arrived(spark); }, recovers_),
      heap_watch_({static_cast<std::size_t>(setup.facts.memory), setup.memory}, tables_,
                  shared_heap_, mailbox_),
      fishing_(setup.options, setup.seed, tables_, workers_, mailbox_, counters_),
      bounds_(
          fabric.self(), fabric.size(), fabric.admits(),
          [this](int pe) { return tables_.lost(pe); }, mailbox_),
      objects_(tables_, fabric.admits(), shared_heap_, mailbox_,
               [this](heap::Node* thunk) {
                 counters_.add(Count::sparks_created);
                 workers_.add_arrived(thunk);
               }),
      deadlock_detector_(fabric.self(), fabric.size(), workers_, mailbox_,
                         std::min(in_nanos(setup.options.silence), longest_patience)),
      life_(setup.facts, in_nanos(setup.options.silence), recovers_, fabric, tables_, mailbox_,
            life_hooks(std::move(over))),
      census_(fabric.self(), fabric.size(), shared_heap_, mailbox_),
      watch_(watch_setup(setup), tables_, mailbox_,
             [this, host = setup.facts.host, cluster = setup.facts.cluster] {
               auto pulse = pulse_of(statistics(), workers_, fabric_.now());
               const auto self = fabric_.self();
               pulse.pace = static_cast<std::uint64_t>(1000 * tables_.speed_now(self) /
                                                       tables_.static_of(self).speed);
               trace::set_name(pulse.host, host);
               trace::set_name(pulse.cluster, cluster);
               return pulse;
             }),
      leaving_({workers_, shared_heap_, fishing_, objects_, life_, log_.get()}, fabric.self(),
               in_nanos(setup.options.grace)),
      router_({tables_, shared_heap_, heap_watch_, fishing_, bounds_, objects_, deadlock_detector_,
               life_, census_, watch_, log_.get()}),
      mailbox_({fabric, clock_, tables_, workers_, deadlock_detector_, life_, census_, router_,
                counters_, log_.get()},
               lock_, [this] { poll_once(nullptr); }),
      pace_(setup.share, setup.workers),
      told_pace_(setup.pace),
      owner_is_back_(setup.owner_is_back),
      housekeeping_(life_, chores()) {
  if (fabric.size() > 1 && !simulated_) heap::expect_others_to_let_go();
  if (setup.options.copies > 0) {
    shared_heap_.addresses().expect_loss_of_placed();
    shared_heap_.addresses().fetch_from_depth(static_cast<std::uint32_t>(setup.options.copies));
  }
  if (fishing_.means().goes_to_data)
    shared_heap_.addresses().heed_large([this] { workers_.seek_data(); });
  shared_heap_.set_recovery(
      {[this](heap::Node* thunk) { workers_.add_placed(thunk); },
       [this](heap::Node* node) { workers_.add_placed(recover::again(node)); },
       [this](heap::Node* spark, heap::Node* twin) {
         workers_.add_placed(recover::again(spark, twin));
       },
       [this](heap::Node* spark) { workers_.add_backup(spark); },
       [this] { return heap_watch_.has_room(); }});
  const std::lock_guard lock(lock_);
  life_.begin(fabric_.now());
}

life::Life::Hooks Pe::life_hooks(std::function<void(const life::Outcome&)> over) {
  return {.joined =
              [this] {
                if (log_ != nullptr)
                  log_->set_offset(-life_.begun(), life_.run(), life_.came_late());
                if (heap_watch_.knows_bound()) look_at_memory(fabric_.now());
              },
          .stopped = [this] { workers_.wake_all(); },
          .statistics = [this] { return statistics(); },
          .over =
              [this, over = std::move(over)](life::Outcome outcome) {
                if (log_ != nullptr) log_->close(static_cast<int>(outcome.statistics.size()));
                if (life_.joined()) watch_.end(fabric_.now() - life_.begun(), outcome.statistics);
                // Whoever has asked it to leave has asked the main PE to end.
                if (outcome.given_up && leaving_.asked()) outcome.error.clear();
                over(outcome);
              },
          .gives_up =
              [this](int pe, const std::string& why) {
                if (!simulated_)
                  say("trawl: PE " + std::to_string(pe) + " is lost: " + why +
                      "; the run goes on without it\n");
              },
          .keeps_all = [this] { return objects_.used(); },
          .lets_go =
              [this](int pe, std::uint32_t threads) {
                if (simulated_) return;
                std::string text = "trawl: PE " + std::to_string(pe) + " has left";
                if (threads == 1) text += " in the middle of a thread, which is run again";
                if (threads > 1)
                  text += " in the middle of " + std::to_string(threads) +
                          " threads, which are run again";
                say(text + "\n");
              },
          .leaves =
              [this](int pe) {
                watch_.set_presence(pe, trace::Presence::leaves);
                leaving_.leaves(pe);
              },
          .is_done = [this](int pe) { leaving_.is_done(pe); },
          .gone = [this](int pe, life::View::What what) { on_gone(pe, what); },
          .has_come = [this](int pe) { on_joined(pe); }};
}

// What came of it and was not read, and what is kept for it, goes first.
void Pe::on_gone(int pe, life::View::What what) {
  using What = life::View::What;
  using trace::Presence;
  watch_.set_presence(pe, what == What::empty  ? Presence::to_come
                          : what == What::left ? Presence::left
                                               : Presence::lost);
  if (what == What::empty) return self() == 0 ? deadlock_detector_.empty(pe) : void();
  mailbox_.forget(pe, self() == 0 && (what == What::left || life_.is_joining(pe)));
  if (stopping()) return;
  if (!objects_.used())
    census_.begin(static_cast<std::uint32_t>(life_.view()),
                  [this](int other) { return life_.is_gone(other); });
  const bool left = what == What::left;
  counters_.add(left ? Count::pes_left : Count::pes_lost);
  trace::note(log(), left ? trace::Kind::pe_left : trace::Kind::pe_lost, 0,
              static_cast<std::uint32_t>(pe));
  leaving_.gone(pe);
  fishing_.gone(pe, fabric_.now());
  if (self() == 0) deadlock_detector_.dead(pe);
  if (objects_.used())
    return life_.fail(
        "PE " + std::to_string(pe) + " is lost, and shared objects are not made again without it",
        lost_with_a_pe);
  shared_heap_.dead(static_cast<std::uint32_t>(pe));
}

// In this order: who finds that the run is over, or can't go on, keeps the rest from being done.
std::vector<Housekeeping::Chore> Pe::chores() {
  using When = Housekeeping::When;
  std::vector<Housekeeping::Chore> list;
  const auto add = [&list](When when, Nanos interval, auto work) {
    list.push_back({when, interval, work});
  };
  const bool alone = fabric_.size() == 1;
  add(When::always, 0, [this](Nanos now, auto*) { life_.look_at_clock(now); });
  // A simulated run must not depend on when the collector runs.
  if (!simulated_) add(When::always, 0, [this](Nanos, auto*) { sweep(); });
  add(When::always, 5'000'000, [this](Nanos, auto*) { life_.look_for_the_dead(); });
  if (fabric_.admits())
    add(When::while_running, 500'000, [this](Nanos, auto*) { life_.look_for_newcomers(); });
  add(When::always, 0,
      [this](Nanos, auto*) { life_.look_for_the_end(life_.stopping() && mailbox_.flushed()); });
  if (!alone) add(When::until_stopping, 0, [this](Nanos now, auto*) { life_.beat(now); });
  if (log_ != nullptr) {
    add(When::while_running, 500'000'000, [this](Nanos, auto*) { log_->save(); });
    add(When::while_running, 100'000, [this](Nanos now, auto*) { note_load(now); });
  }
  if (!alone) add(When::while_running, 0, [this](Nanos, auto*) { shared_heap_.send_frees(); });
  if (!alone)
    add(When::while_running, 200'000'000, [this](Nanos now, auto*) { look_at_pace(now); });
  if (!simulated_)
    add(When::while_running, 1'000'000'000, [](Nanos, auto*) { give_memory_back(); });
  if (!alone && !simulated_)
    add(When::while_running, 5'000'000, [this](Nanos, auto*) { heap_watch_.look(); });
  if (!alone && heap_watch_.knows_bound())
    add(When::while_running, 50'000'000, [this](Nanos now, auto*) { look_at_memory(now); });
  if (owner_is_back_ && may_leave())
    add(When::while_running, 1'000'000'000, [this](Nanos now, auto*) { look_for_owner(now); });
  if (watch_.on())
    add(When::while_running, 100'000'000,
        [this](Nanos now, auto*) { watch_.look(now - life_.begun()); });
  if (self() == 0 && !simulated_)
    add(When::while_running, 100'000'000, [](Nanos, auto*) { end_with_launcher(); });
  if (self() == 0)
    add(When::while_running, 0, [this](Nanos, sched::Worker* by) { look_for_deadlock(by); });
  return list;
}

Pe::~Pe() = default;

void Pe::start_root(std::function<int()> root) {
  workers_[0].start_root([this, root = std::move(root)] {
    try {
      finish(root());
    } catch (const std::bad_alloc&) {
      fail_without_memory();
    }
  });
}

// Called by the root, or by exit() in it.
void Pe::finish(int code) {
  if (recorder_ != nullptr) recorder_->end();
  // The log may be closed before the root's thread comes to its end.
  if (auto* const worker = sched::current_worker(); worker != nullptr) worker->note_made();
  const std::lock_guard lock(lock_);
  life_.finish(code);
}

// Who has a replica of an object has had all calls from the first on.
void Pe::on_joined(int pe) {
  watch_.set_presence(pe, trace::Presence::here);
  if (objects_.used())
    return life_.fail("shared objects were made while PE " + std::to_string(pe) +
                          " came, which may not have all of them",
                      1);
  counters_.add(Count::pes_joined);
  trace::note(log(), trace::Kind::pe_joined, 0, static_cast<std::uint32_t>(pe));
  leaving_.joined(pe);
  if (self() != 0) return;
  deadlock_detector_.joined(pe);
  bounds_.tell(pe);
}

void Pe::leave() noexcept {
  if (!may_leave()) return;
  leaving_.ask();
  have_somebody_look();
}

void Pe::send_away(int pe) noexcept {
  leaving_.send_away(pe);
  have_somebody_look();
}

void Pe::have_somebody_look() noexcept {
  workers_.wake_all();
  fabric_.events().notify_progress_thread();
}

void Pe::fail(const std::string& why, int code) {
  const std::lock_guard lock(lock_);
  const heap::MayNotWait says_so;
  life_.fail(why, code);
}

void Pe::fail_without_memory() noexcept {
  const std::lock_guard lock(lock_);
  const heap::MayNotWait says_so;
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
  auto& messages = by != nullptr ? by->messages : messages_beside_workers_;
  const bool just_read = by != nullptr && by->has_listened() && fabric_.waiting();
  clock_.begin(just_read && !messages.due());
  const auto begun = clock_.mark();
  const heap::MayNotWait hears_of_others;
  try {
    mailbox_.take_messages(by);
    fish(by);
    if (housekeeping_.due(clock_.time())) {
      // Else what a message has brought may live for long. Simulated, a PE waits further up.
      if (!simulated_) heap::clear_finished_calls<4096>();
      housekeeping_.keep(clock_.time(), by);
    }
    mailbox_.send_kept();  // the last thing: it goes on failing where a PE is lost
  } catch (const Error& e) {
    life_.fail_or_find_dead(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    life_.fail_without_memory();
  }
  clock_.end();
  messages.note(mailbox_.take_handled(), [&] { return clock_.since(begun); });
  mailbox_.note_under_way();
  return true;
}

void Pe::fish(sched::Worker* by) {
  if (fabric_.size() == 1 || !life_.joined()) return;
  if (life_.stopping())  // what was due keeps nobody awake any more
    return workers_.state().due.store(never, std::memory_order_relaxed);
  fishing_.serve(by, clock_.time());
  fishing_.consider(clock_.time());
  leaving_.look(clock_.time(), by);
}

// ---- housekeeping ------------------------------------------------------------------------------

void Pe::sweep() {
  heap::run_finalisers();
  if (!shared_heap_.addresses().sweep()) return;
  shared_heap_.recipes().sweep();
  shared_heap_.forget_what_made_those_here();
}

void Pe::note_load(Nanos now) {
  log_->set_drift(life_.main_clock().drift(now));
  const auto load = workers_.load();
  log_->event(trace::Kind::load, 0, load.sparks, load.runnable);
  for (const auto& worker : workers_.all()) worker->pool.look_soon();
}

void Pe::look_at_pace(Nanos now) {
  if (told_pace_) return tables_.set_own_pace(pace_.of(told_pace_()));
  Nanos processor = 0;
  for (const auto& worker : workers_.all()) processor += worker->processor_time();
  tables_.set_own_pace(pace_.look(now, workers_.busy_time(), processor));
}

void Pe::look_at_memory(Nanos now) {
  fishing_.set_full(heap_watch_.is_near_bound(!workers_.anybody_busy()), now);
}

void Pe::look_for_owner(Nanos now) {
  if (leaving_.asked() || !owner_is_back_(now)) return;
  say("trawl: PE " + std::to_string(self()) +
      " leaves: others use its host's cores (--trawl:yield)\n");
  leave();
}

void Pe::look_for_deadlock(sched::Worker* by) {
  auto deadlock = deadlock_detector_.look(life_.waking_time(), by);
  if (deadlock.empty()) return;
  if (recorder_ != nullptr)
    deadlock +=
        "  (--trawl:record evaluates nothing before it is forced, or synced: what waits for "
        "something else that a spark does waits for ever)\n";
  life_.fail(deadlock, deadlock_detector_.any_died() ? lost_with_a_pe : 1);
}

// ---- accounts ----------------------------------------------------------------------------------

void Pe::note_collection(bool begins) noexcept {
  trace::note(log(), begins ? trace::Kind::gc_begin : trace::Kind::gc_end, 0);
  const auto time = fabric_.now();
  if (begins) return collections_.begin(time, workers_);
  if (!life_.joined()) return;
  clock_.stood_still(collections_.begun(), time);
  collections_.end(time, workers_);
}

std::string Pe::recording_trouble() const {
  return recorder_ != nullptr ? recorder_->trouble() : std::string();
}

Statistics Pe::statistics() {
  auto statistics = gather(counters_, workers_, shared_heap_);
  statistics[static_cast<std::size_t>(Count::progress_time)] =
      static_cast<std::uint64_t>(messages_beside_workers_.sum());
  return statistics;
}

}  // namespace trawl
