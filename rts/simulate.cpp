#include "rts/simulate.hpp"

#include <algorithm>
#include <exception>
#include <tuple>

#include "rts/base/after.hpp"
#include "rts/heap/failure.hpp"
#include "rts/inline/error.hpp"

namespace trawl {
namespace {

constexpr Nanos turn_cost = 100;
constexpr Nanos idle_time = 10'000'000;  // at most, with no message
constexpr std::size_t main_loop_stack = std::size_t{128} << 10U;

// The simulation whose PEs run on this OS thread.
constinit thread_local Simulation* simulation_here = nullptr;

double speed_in(const fabric::SimConfig& net, double of_host, int pe) {
  if (net.grid) {
    return net.grid->clusters[static_cast<std::size_t>(net.grid->cluster_of(pe))].speed_on(of_host);
  }
  const auto at = static_cast<std::size_t>(pe);
  return at < net.speed.size() ? net.speed[at] : 1;
}

fabric::SimConfig with_speeds(fabric::SimConfig net, double of_host) {
  if (!net.grid) return net;
  std::vector<double> speeds;
  for (int pe = 0; pe < net.grid->pes(); ++pe) speeds.push_back(speed_in(net, of_host, pe));
  net.speed = std::move(speeds);
  return net;
}

// Whoever looks seldom counts little of it as time in which others were silent.
Nanos longest_quiet(const Options& options) {
  constexpr Nanos shortest = 5'000'000, longest = 200'000'000;  // as a PE's pace is looked at
  constexpr double part = 2e-3;
  return std::clamp(after(0, options.silence * 1e9 * part), shortest, longest);
}

int pes_of(const fabric::SimConfig& net) {
  return net.grid ? net.grid->pes() : net.pes;
}

}  // namespace

Simulation::Simulation(const Config& config)
    : net_(with_speeds(config.net, config.speed_of_host)),
      lookahead_(net_.least_latency()),
      turns_(static_cast<std::size_t>(pes_of(config.net))) {
  simulation_here = this;
  if (config.measure) clock_.emplace();
  if (config.net.grid)
    changes_.assign(config.net.grid->changes.rbegin(), config.net.grid->changes.rend());
  sched::SparkPool::set_weak(false);
  for (int i = 0; i < pes_of(config.net); ++i) add_seat(config, i);
  net_.on_arrival([this](int pe) {
    auto& seat = *seats_[static_cast<std::size_t>(pe)];
    if (running_ == nullptr || running_->seat != &seat) note_turn(seat);
  });
}

Simulation::~Simulation() {
  sched::set_this_worker(nullptr);
  simulation_here = nullptr;
  sched::SparkPool::set_weak(true);
}

void Simulation::add_seat(const Config& config, int index) {
  const auto at = static_cast<std::size_t>(index);
  auto seat = std::make_unique<Seat>();
  seat->simulation = this;
  seat->net = &net_;
  seat->index = index;
  seat->longest_quiet = longest_quiet(config.options);
  Pe::Setup setup;
  setup.options = config.options;
  setup.program = config.program;
  setup.facts.host = "simulated";
  if (!config.net.drift.empty()) setup.facts.host += std::to_string(index);
  setup.facts.cluster = at < config.cluster.size() ? config.cluster[at] : "simulated";
  if (const auto& grid = config.net.grid) {
    const auto& cluster = grid->clusters[static_cast<std::size_t>(grid->cluster_of(index))];
    setup.facts.cluster = cluster.name;
    setup.workers = config.options.workers > 0 ? config.options.workers : cluster.workers;
    setup.facts.cores = setup.workers;
  }
  if (at < config.heap_bound.size()) setup.facts.memory = config.heap_bound[at];
  setup.facts.speed = speed_in(config.net, config.speed_of_host, index);
  setup.seed = config.net.seed * 1000003 + at;
  setup.full_weight = config.full_weight;
  setup.pause = &Simulation::pause;
  setup.work = [](sched::Worker&, Nanos time) { work(time); };
  setup.processor = &Simulation::processor_here;
  setup.pace = [this, index] { return net_.pace(index); };
  if (config.memory) setup.memory = [memory = config.memory, index] { return memory(index); };
  seat->pe = std::make_unique<Pe>(setup, net_.endpoint(index),
                                  [this, seat = seat.get()](const life::Outcome& o) {
                                    seat->outcome = o;
                                    if (o.given_up) net_.leave(seat->index);
                                    if (!o.error.empty() && !o.given_up) failed_ = &*seat->outcome;
                                  });
  auto& workers = seat->pe->workers();
  for (std::size_t i = 0; i < workers.size(); ++i)
    add_core(*seat, workers[i], &Simulation::main_loop);
  note_turn(*seat);
  seats_.push_back(std::move(seat));
}

Simulation::Core& Simulation::add_core(Seat& seat, sched::Worker& worker, void (*loop)(void*)) {
  auto core = std::make_unique<Core>();
  core->seat = &seat;
  core->worker = &worker;
  core->ready = net_.clock(seat.index);
  auto main = std::make_unique<sched::Fiber>(main_loop_stack, loop, core.get());
  core->resume = main.get();
  worker.attach(std::move(main));
  seat.cores.push_back(std::move(core));
  return *seat.cores.back();
}

// ---- on a worker's fibers ----------------------------------------------------------------------

void Simulation::main_loop(void* argument) {
  auto& core = *static_cast<Core*>(argument);
  core.seat->pe->workers().events().begin_polling();
  while (true) core.seat->simulation->turn(core);
}

void Simulation::turn(Core& core) {
  bool found = false;
  auto& pe = *core.seat->pe;
  core.seat->epoch = pe.workers().events().epoch();
  try {
    if (pe.joined() && !pe.stopping()) {
      if (!core.worker->alive()) core.worker->begin_life();  // joining the others was no work
      found = core.worker->step();
    } else {
      pe.poll(core.worker);
    }
  } catch (const Error& e) {  // no memory for a thread's stack
    pe.fail(e.what(), e.exit_code());
  } catch (const std::bad_alloc&) {
    pe.fail_without_memory();
  }
  net_.advance_to(core.seat->index, net_.clock(core.seat->index) + turn_cost);
  idle_from_now(core, found);
  yield(core, core.worker->current_fiber());
}

// As others call it, see Workers::add_spare.
void Simulation::spare_loop(void* argument) {
  auto& core = *static_cast<Core*>(argument);
  while (true) {
    core.relieve();
    core.seat->set_idle(core, never);
    core.seat->simulation->yield(core, core.worker->current_fiber());
  }
}

// Its worker's policy decides, but a message alone wakes it here: what is due, or undone, it finds
// when it looks (rts/progress/README.md). What its siblings put into their pools nobody tells it.
void Simulation::idle_from_now(Core& core, bool found) {
  core.ready = net_.clock(core.seat->index);
  if (found) return core.policy.found();
  auto& workers = core.seat->pe->workers();
  progress::Situation situation;
  situation.now = workers.fabric().now();
  situation.undone.due = workers.state().due.load();
  if (auto& pe = *core.seat->pe; !pe.stopping())
    situation.undone.due = std::min(situation.undone.due, pe.fishing().again());
  situation.busy = workers.size() > 1 && workers.anybody_busy();
  core.seat->set_idle(
      core, core.ready + std::clamp(core.policy.park_time(situation), turn_cost, idle_time));
}

// Workers give the turn to each other; all else is done by the driver, on its own stack.
void Simulation::yield(Core& core, sched::Fiber& from) {
  core.resume = &from;
  running_ = nullptr;
  note_turn(*core.seat);
  if (auto& next = who_goes_on(); &next != &from) from.switch_to(next);
}

void Simulation::pause(sched::Worker& worker, sched::Moment moment) {
  using sched::Moment;
  Simulation& self = *simulation_here;
  Core& core = *self.running_;
  if (moment == Moment::before_thread) return self.begin_piece();
  if (moment == Moment::between_turns)
    core.ready = self.net_.clock(core.seat->index) + turn_cost;
  else
    self.charge_piece(core);
  // All that others could see of it was charged for before: a moment, but for the root's end.
  if (moment == Moment::after_thread) return self.net_.advance_to(core.seat->index, core.ready);
  self.go_on_when_ready(core, worker.current_fiber());
  if (moment == Moment::in_thread) self.begin_piece();
}

void Simulation::work(Nanos time) {
  Simulation& self = *simulation_here;
  Core& core = *self.running_;
  self.charge_piece(core);
  self.go_on_when_ready(core, core.worker->current_fiber());
  core.seat->charge(core, time);
  self.go_on_when_ready(core, core.worker->current_fiber());
  self.begin_piece();
}

// ---- what work takes ---------------------------------------------------------------------------

void Simulation::begin_piece() {
  if (clock_) clock_->begin();
}

void Simulation::charge_piece(Core& core) {
  core.seat->charge(core, clock_ ? clock_->end() : 0);
}

// What it has done takes effect when its time has come, and nothing can come before: what other PEs
// are still to send takes its time.
void Simulation::go_on_when_ready(Core& core, sched::Fiber& from) {
  const auto others = turns_.earliest();
  const auto from_others = others > never - lookahead_ ? never : others + lookahead_;
  const bool dead = net_.is_dead(core.seat->index);
  if (dead || core.ready >= next_change() || core.ready >= from_others ||
      core.ready >= core.seat->next_turn(&core).first)
    return yield(core, from);
  net_.advance_to(core.seat->index, core.ready);
}

Nanos Simulation::clock_here() {
  Core& core = *simulation_here->running_;
  if (simulation_here->clock_) pause(*core.worker, sched::Moment::in_thread);
  return simulation_here->net_.clock(simulation_here->running_->seat->index);
}

Nanos Simulation::processor_here() {
  clock_here();  // up to here
  return simulation_here->running_->used;
}

int Simulation::here() {
  return simulation_here->running_->seat->index;
}

// ---- whose turn it is --------------------------------------------------------------------------

void Simulation::note_turn(Seat& seat) {
  Nanos turn;
  std::tie(turn, seat.next) = seat.next_turn();
  turns_.set(static_cast<std::size_t>(seat.index), std::max(turn, net_.clock(seat.index)));
}

void Simulation::begin_turn(Seat& seat) {
  const auto at = static_cast<std::size_t>(seat.index);
  net_.advance_to(seat.index, turns_[at]);
  turns_.set(at, never);
}

// Where its next worker goes on.
sched::Fiber& Simulation::enter(Seat& seat) {
  Core& core = *seat.next;
  begin_turn(seat);
  seat.set_idle(core, 0);
  running_ = &core;
  sched::set_this_worker(core.worker);
  return *core.resume;
}

sched::Fiber& Simulation::who_goes_on() {
  Seat& seat = first_seat();
  const bool drives =
      seat.next == nullptr || failed_ != nullptr || turns_.earliest() > deadline_ || (*done_)();
  return drives ? driver_ : enter(seat);
}

void Simulation::change_who_is_due() {
  for (; !changes_.empty() && turns_.earliest() >= next_change(); changes_.pop_back()) {
    const auto [pe, at, what] = changes_.back();
    if (has_ended(pe)) continue;
    net_.advance_to(pe, at);
    if (what == fabric::GridChange::What::joins)
      net_.come();
    else
      net_.kill(pe);
  }
}

void Simulation::look(Seat& seat) {
  const auto begun = net_.clock(seat.index);
  seat.epoch = seat.pe->workers().events().epoch();
  seat.pe->poll(nullptr);
  seat.looked(begun);
  see_to_spares(seat);
}

void Simulation::see_to_spares(Seat& seat) {
  auto& workers = seat.pe->workers();
  const auto situation = workers.situation();
  const auto call = [&](Core& core) {
    core.ready = net_.clock(seat.index);
    seat.set_idle(core, 0);
  };
  const auto spares = [&](const auto& use) {
    for (std::size_t i = workers.size(); i < seat.cores.size(); ++i)
      if (seat.cores[i]->idle() && use(*seat.cores[i])) return true;
    return false;
  };
  // One that waits for a certain worker may wait for a spare one.
  if (situation.bound != 0) spares([&](Core& core) { return call(core), false; });
  if (!seat.spares.look(situation)) return;
  if (spares([&](Core& core) { return call(core), true; })) return;
  if (auto relieve = workers.add_spare()) {
    auto& core = add_core(seat, *workers.all().back(), &Simulation::spare_loop);
    core.worker->begin_life();
    core.relieve = std::move(relieve);
    core.idle_until = never;  // until it is called, it takes nothing of the others' share
    call(core);
  }
}

void Simulation::go_on(const std::function<bool()>& done, Nanos limit) {
  done_ = &done;
  deadline_ = now() + limit;
  // The caller may have changed what they are at.
  for (const auto& seat : seats_) seat->next = seat->next_turn().second;
  while (!done()) {
    if (turns_.earliest() > deadline_) throw Error("the simulation takes too long");
    Seat& seat = first_seat();
    if (seat.next == nullptr) {
      begin_turn(seat);
      look(seat);
      note_turn(seat);
    } else {
      driver_.switch_to(enter(seat));
      sched::set_this_worker(nullptr);
    }
    if (const auto* failed = std::exchange(failed_, nullptr))
      throw Error(failed->error, failed->code);
  }
}

// ---- a run -------------------------------------------------------------------------------------

void Simulation::run(const std::function<void()>& root, Nanos limit) {
  int joined = 0;
  go_on(
      [this, &joined] {
        while (joined != size() &&
               (has_ended(joined) || net_.is_late(joined) || pe(joined).joined()))
          ++joined;
        return joined == size();
      },
      limit);
  bool over = false;
  std::exception_ptr error;
  pe(0).workers()[0].start_root([&] {
    try {
      root();
    } catch (...) {
      heap::end_if_lost();
      error = std::current_exception();
    }
    over = true;
  });
  seats_.front()->set_idle(*seats_.front()->cores.front(), 0);
  seats_.front()->cores.front()->ready = net_.clock(0);
  note_turn(*seats_.front());
  go_on([&over] { return over; }, limit);
  // Its thread has still to be put away.
  go_on([this] { return pe(0).workers().threads().size() == 0 && !pe(0).workers()[0].running(); },
        limit);
  if (error) std::rethrow_exception(error);
}

// FISH may be on their way: some policies never rest.
bool Simulation::quiet() {
  std::size_t fish = 0;
  std::int64_t work = 0;
  bool some_are_gone = false;
  for (const auto& seat : seats_) {
    if (net_.is_late(seat->index)) continue;
    some_are_gone |= has_ended(seat->index) || pe(0).life().is_gone(seat->index);
    if (has_ended(seat->index)) continue;
    if (seat->pe->life().view() != pe(0).life().view() && !pe(0).life().is_to_come(seat->index))
      return false;
    if (seat->pe->leaves() || !seat->pe->workers().at_rest(nullptr) ||
        seat->pe->shared_heap().addresses().has_frees())
      return false;
    fish += seat->pe->fishing().outstanding() - fish_kept(seat->index);
    work += seat->pe->deadlock_detector().balance();
  }
  return some_are_gone ? all_is_known_of_the_dead() : work == 0 && net_.in_flight() == fish;
}

// What was sent to them nobody receives, so messages of other kinds can't be counted.
bool Simulation::all_is_known_of_the_dead() const {
  std::int64_t weights = 0;
  for (const auto& seat : seats_) {
    if (has_ended(seat->index) || net_.is_late(seat->index)) continue;
    const Pe& pe = *seat->pe;
    for (int other = 0; other < size(); ++other)
      if (!net_.is_late(other) && has_ended(other) != pe.life().is_gone(other)) return false;
    if (pe.census().under_way()) return false;
    weights += pe.census().balance([this](int other) { return !has_ended(other); });
  }
  return weights == 0;
}

std::size_t Simulation::fish_kept(int thief) const {
  std::size_t sum = 0;
  for (const auto& seat : seats_) sum += seat->pe->fishing().held(thief);
  return sum;
}

// PEs go on fishing while they have nothing to do; a moment when nothing else is on its way will
// come.
void Simulation::settle(Nanos limit) {
  go_on([this] { return quiet(); }, limit);
}

bool Simulation::has_ended(int pe) const {
  return seats_[static_cast<std::size_t>(pe)]->outcome || net_.is_dead(pe);
}

// It has come when there was no main PE any more.
bool Simulation::meets_nobody(int pe) const {
  const auto& seat = *seats_[static_cast<std::size_t>(pe)];
  return seats_.front()->outcome && !seat.pe->joined();
}

life::Outcome Simulation::finish(int code) {
  pe(0).finish(code);
  int over = 0;
  go_on(
      [this, &over] {
        while (over != size() && (has_ended(over) || net_.is_late(over) || meets_nobody(over)))
          ++over;
        return over == size();
      },
      3600'000'000'000);
  return *seats_.front()->outcome;
}

void Simulation::sweep() {
  for (const auto& seat : seats_) {
    const std::lock_guard lock(seat->pe->lock());
    seat->pe->sweep();
  }
}

Nanos Simulation::now() const {
  Nanos latest = 0;
  for (const auto& seat : seats_) latest = std::max(latest, net_.clock(seat->index));
  return latest;
}

}  // namespace trawl
