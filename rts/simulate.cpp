#include "rts/simulate.hpp"

#include <algorithm>
#include <exception>

#include "rts/inline/error.hpp"

namespace trawl {
namespace {

constexpr Nanos turn_cost = 100;
constexpr Nanos progress_thread_round = 300'000;
constexpr std::size_t main_loop_stack = std::size_t{128} << 10U;

// The simulation whose PEs run on this OS thread.
constinit thread_local Simulation* simulation_here = nullptr;

}  // namespace

Simulation::Simulation(const Config& config) : net_(config.net) {
  simulation_here = this;
  sched::SparkPool::set_weak(false);
  for (int i = 0; i < config.net.pes; ++i) {
    const auto index = static_cast<std::size_t>(i);
    auto seat = std::make_unique<Seat>();
    seat->simulation = this;
    seat->index = i;
    Pe::Setup setup;
    setup.options = config.options;
    setup.program = "simulation";
    setup.facts.host = "simulated";
    setup.facts.cluster = index < config.cluster.size() ? config.cluster[index] : "simulated";
    setup.facts.speed = index < config.net.speed.size() ? config.net.speed[index] : 1;
    setup.seed = config.net.seed * 1000003 + index;
    setup.full_weight = config.full_weight;
    setup.pause = &Simulation::pause;
    seat->pe = std::make_unique<Pe>(setup, net_.endpoint(i),
                                    [seat = seat.get()](const Outcome& o) { seat->outcome = o; });
    auto main = std::make_unique<sched::Fiber>(main_loop_stack, &Simulation::main_loop, seat.get());
    seat->resume = main.get();
    seat->pe->workers()[0].attach(std::move(main));
    seats_.push_back(std::move(seat));
  }
}

Simulation::~Simulation() {
  sched::set_this_worker(nullptr);
  simulation_here = nullptr;
  sched::SparkPool::set_weak(true);
}

// ---- on a PE's fibers --------------------------------------------------------------------------

void Simulation::main_loop(void* argument) {
  auto& seat = *static_cast<Seat*>(argument);
  auto& worker = seat.pe->workers()[0];
  seat.pe->workers().events().begin_polling();
  while (true) {
    bool found = false;
    try {
      if (seat.pe->joined() && !seat.pe->stopping())
        found = worker.step();
      else
        seat.pe->poll(&worker);
    } catch (const std::bad_alloc&) {
      seat.pe->fail_without_memory();
    }
    seat.simulation->idle_from_now(seat, found);
    seat.simulation->yield(seat, worker.current_fiber());
  }
}

// Its worker's policy decides, but a message alone wakes it here: what is due, or undone, it finds
// when it looks (rts/progress/README.md).
void Simulation::idle_from_now(Seat& seat, bool found) {
  seat.idle_until = 0;
  if (found) return seat.policy.found();
  progress::Situation situation;
  situation.now = net_.clock(seat.index);
  situation.busy = true;
  seat.idle_until = situation.now + seat.policy.park_time(situation);
}

void Simulation::yield(Seat& seat, sched::Fiber& from) {
  net_.advance(seat.index, turn_cost);
  seat.resume = &from;
  from.switch_to(driver_);
}

void Simulation::pause(sched::Worker& worker) {
  Simulation& self = *simulation_here;
  Seat& seat = *self.running_;
  self.yield(seat, worker.current_fiber());
  // The progress thread's turn, which is none here.
  if (self.net_.clock(seat.index) < seat.next_look) return;
  seat.next_look = self.net_.clock(seat.index) + progress_thread_round;
  seat.pe->poll(nullptr);
}

// Little by little: even inside a long function a PE answers in time.
void Simulation::work(Nanos time) {
  Simulation& self = *simulation_here;
  do {
    const auto part = std::min(time, progress_thread_round);
    self.net_.advance(self.running_->index, part);
    pause(self.running_->pe->workers()[0]);
    time -= part;
  } while (time > 0);
}

Nanos Simulation::clock_here() {
  return simulation_here->net_.clock(simulation_here->running_->index);
}

int Simulation::here() {
  return simulation_here->running_->index;
}

// ---- the driver --------------------------------------------------------------------------------

Nanos Simulation::wake_time(const Seat& seat) const {
  const auto clock = net_.clock(seat.index);
  if (seat.idle_until <= clock) return clock;
  const auto arrival = net_.next_arrival(seat.index);
  return std::max(clock, arrival ? std::min(*arrival, seat.idle_until) : seat.idle_until);
}

void Simulation::go_on(const std::function<bool()>& done, Nanos limit) {
  const auto deadline = now() + limit;
  while (!done()) {
    const auto next = std::min_element(
        seats_.begin(), seats_.end(),
        [this](const auto& a, const auto& b) { return wake_time(*a) < wake_time(*b); });
    Seat& seat = **next;
    net_.advance_to(seat.index, wake_time(seat));
    seat.idle_until = 0;
    if (net_.clock(seat.index) > deadline) throw Error("the simulation takes too long");
    running_ = &seat;
    sched::set_this_worker(&seat.pe->workers()[0]);
    driver_.switch_to(*seat.resume);
    running_ = nullptr;
    for (const auto& each : seats_)
      if (each->outcome && !each->outcome->error.empty())
        throw Error(each->outcome->error, each->outcome->code);
  }
}

void Simulation::run(const std::function<void()>& root, Nanos limit) {
  go_on(
      [this] {
        return std::all_of(seats_.begin(), seats_.end(),
                           [](const auto& seat) { return seat->pe->joined(); });
      },
      limit);
  bool over = false;
  std::exception_ptr error;
  pe(0).workers()[0].start_root([&] {
    try {
      root();
    } catch (...) {
      error = std::current_exception();
    }
    over = true;
  });
  go_on([&over] { return over; }, limit);
  // Its thread has still to be put away.
  go_on([this] { return pe(0).workers().threads().size() == 0 && !pe(0).workers()[0].running(); },
        limit);
  if (error) std::rethrow_exception(error);
}

bool Simulation::quiet() {
  if (net_.in_flight() != 0) return false;
  return std::all_of(seats_.begin(), seats_.end(), [this](const auto& seat) {
    return seat->pe->workers().at_rest(nullptr) &&
           !seat->pe->shared_heap().addresses().has_frees() &&
           seat->pe->fishing().outstanding() == fish_kept(seat->index);
  });
}

std::size_t Simulation::fish_kept(int thief) const {
  std::size_t sum = 0;
  for (const auto& seat : seats_) sum += seat->pe->fishing().held(thief);
  return sum;
}

// PEs go on fishing while they have nothing to do; a moment when all fish are kept will come.
void Simulation::settle(Nanos limit) {
  go_on([this] { return quiet(); }, limit);
}

Outcome Simulation::finish(int code) {
  pe(0).finish(code);
  go_on(
      [this] {
        return std::all_of(seats_.begin(), seats_.end(),
                           [](const auto& seat) { return seat->outcome.has_value(); });
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
