#include "rts/inline/work.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "rts/host/clocks.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/sched/workers.hpp"

namespace trawl {
namespace {

constexpr Nanos long_time = 10'000;  // then it is worth asking the operating system, some 0.2 us

void turn(std::int64_t turns) noexcept {
  for (; turns > 0; --turns) asm volatile("" : : : "memory");
}

// The middle one of some tries: some are disturbed.
double measure_turns_a_nano() noexcept {
  constexpr std::int64_t turns = 20'000;
  std::array<double, 51> tries{};
  for (auto& each : tries) {
    const auto begin = processor_time();
    turn(turns);
    const auto time = processor_time() - begin;
    each = static_cast<double>(turns) / static_cast<double>(std::max<Nanos>(time, 1));
  }
  const auto middle = tries.begin() + tries.size() / 2;
  std::nth_element(tries.begin(), middle, tries.end());
  return *middle;
}

void burn(Nanos time) noexcept {
  static const double turns_a_nano = measure_turns_a_nano();
  const auto turns_for = [](Nanos nanos) {
    return static_cast<std::int64_t>(static_cast<double>(nanos) * turns_a_nano);
  };
  if (time < long_time) return turn(turns_for(time));
  // By parts, as the processor's speed changes.
  constexpr Nanos longest_part = 1'000'000;
  const auto end = processor_time() + time;
  for (auto left = time; left > 0; left = end - processor_time())
    turn(turns_for(std::min(left, longest_part)));
}

constinit bool all_declared = false;

}  // namespace

void declare_all_work() noexcept {
  all_declared = true;
}

bool all_work_is_declared() noexcept {
  return all_declared;
}

std::int64_t now() {
  sched::Worker* const worker = sched::current_worker();
  if (worker == nullptr || !worker->is_special()) return wall_time();
  if (const auto charge = worker->workers().charge()) charge(*worker, 0);  // up to here
  return worker->workers().fabric().now();
}

void work(std::int64_t nanoseconds) {
  if (nanoseconds <= 0) return;
  sched::Worker* const worker = sched::current_worker();
  if (worker != nullptr && worker->is_special())
    if (const auto charge = worker->workers().charge()) return charge(*worker, nanoseconds);
  burn(nanoseconds);
}

}  // namespace trawl
