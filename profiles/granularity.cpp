#include "profiles/granularity.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "rts/fabric/kinds.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr auto schedule = static_cast<std::uint16_t>(fabric::Kind::schedule);

/// Follows the threads of one PE.
class ThreadFollower {
 public:
  ThreadFollower(Granularity& granularity, Nanos from, Nanos to)
      : granularity_(granularity), from_(from), to_(to) {}

  void see(const Event& event) {
    const bool shown = event.time >= from_ && event.time <= to_;
    switch (event.kind) {
      case Kind::spark_convert:
        threads_[event.id].imported = event.extra != 0;
        break;
      case Kind::thread_start:
        threads_[event.value].known = true;
        break;
      case Kind::thread_run:
        threads_[event.value].since = event.time;
        break;
      case Kind::thread_block:
        stop(event);
        break;
      case Kind::thread_end:
        stop(event);
        if (shown) count(threads_[event.value]);
        threads_.erase(event.value);
        break;
      case Kind::message_sent:
        if (shown && event.extra == schedule) granularity_.packets.add(event.size);
        break;
      default:
        break;
    }
  }

 private:
  struct Thread {
    bool known = false;
    bool imported = false;
    Nanos since = -1;
    Nanos ran = 0;
  };

  void stop(const Event& event) {
    auto& thread = threads_[event.value];
    if (thread.since < 0) thread.known = false;
    if (thread.since >= 0) thread.ran += event.time - thread.since;
    thread.since = -1;
  }

  void count(const Thread& thread) {
    if (!thread.known) return;
    auto& histogram = thread.imported ? granularity_.imported : granularity_.own;
    histogram.add(static_cast<std::uint64_t>(thread.ran));
  }

  Granularity& granularity_;
  Nanos from_, to_;
  std::unordered_map<std::uint32_t, Thread> threads_;
};

}  // namespace

void Histogram::add(std::uint64_t value) {
  ++count[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(value)), columns - 1)];
  ++number;
  sum += static_cast<double>(value);
}

Granularity measure_granularity(const Run& run, Nanos from, Nanos to) {
  Granularity granularity;
  for (const auto& log : run.logs) {
    ThreadFollower follower(granularity, from, to);
    replay(
        log, [&follower](const Event& event) { follower.see(event); }, nullptr);
  }
  return granularity;
}

}  // namespace trawl::profile
