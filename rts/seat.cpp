#include "rts/seat.hpp"

#include <algorithm>

#include "rts/base/after.hpp"

namespace trawl {
namespace {

constexpr Nanos while_thread_waits = 5'000'000;  // as spare workers are called
constexpr Nanos look_cost = 20'000;              // until a progress thread is awake
constexpr Nanos while_under_way = 50'000;

}  // namespace

// ---- what work takes ---------------------------------------------------------------------------

// Spare workers share the cores of their PE with the others: so many times longer work takes.
double Seat::crowd() const {
  const auto all = pe->workers().size();
  if (cores.size() == all) return 1;
  const auto active =
      std::count_if(cores.begin(), cores.end(), [](const auto& core) { return !core->idle(); });
  return std::max(static_cast<double>(active) / static_cast<double>(all), 1.0);
}

void Seat::charge(Core& core, Nanos work) const {
  const auto now = clock();
  const auto alone = net->done(index, work);
  const auto factor = crowd();
  core.used += alone - now;
  core.ready = factor == 1 ? alone : after(now, static_cast<double>(alone - now) * factor);
}

void Seat::set_idle(Core& core, Nanos until) const {
  const auto before = crowd();
  core.idle_until = until;
  const auto factor = crowd() / before;
  if (factor == 1) return;
  const auto now = clock();
  for (const auto& other : cores)
    if (other.get() != &core && !other->idle() && other->ready > now)
      other->ready = after(now, static_cast<double>(other->ready - now) * factor);
}

// ---- whose turn it is --------------------------------------------------------------------------

Nanos Seat::turn_of(const Core& core) const {
  if (!core.idle()) return core.ready;
  if (core.relieve) return core.idle_until;
  if (notified()) return clock();
  const auto arrival = net->next_arrival(index);
  return arrival ? std::min(*arrival, core.idle_until) : core.idle_until;
}

// By somebody of its own PE, since the last look.
bool Seat::notified() const {
  return pe->workers().events().epoch() != epoch;
}

// A real progress thread looks every 6 ms. A grid's would cost more than all else, and find
// nothing.
Nanos Seat::longest_look() const {
  auto& workers = pe->workers();
  const bool quiet = workers.threads().size() == 0 && workers.log() == nullptr;
  return quiet ? longest_quiet : while_thread_waits;
}

// The progress thread's: while all workers are busy.
Nanos Seat::look_time() const {
  const auto& workers = pe->workers();
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (cores[i]->idle()) return never;
  const auto arrival = net->next_arrival(index).value_or(never);
  auto due = notified() ? 0 : std::min(net->when(index, workers.state().due), arrival);
  if (workers.state().under_way) due = std::min(due, last_look + while_under_way);
  const auto at_last = last_look + longest_look();
  return due >= at_last ? at_last : std::max(due, last_look) + look_cost;
}

std::pair<Nanos, Seat::Core*> Seat::next_turn(const Core* but) const {
  std::pair<Nanos, Core*> first{never, cores.front().get()};
  if (outcome || net->is_dead(index)) return first;
  for (const auto& core : cores) {
    if (core.get() == but) continue;
    if (const auto turn = turn_of(*core); turn < first.first) first = {turn, core.get()};
  }
  if (const auto looks = look_time(); looks < first.first) first = {looks, nullptr};
  return first;
}

// Who works meanwhile has less of the core.
void Seat::looked(Nanos begun) {
  const auto over = clock();
  for (const auto& core : cores)
    if (!core->idle()) core->ready += over - begun;
  last_look = over;
}

}  // namespace trawl
