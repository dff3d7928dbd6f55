#include "profiles/activity.hpp"

#include <algorithm>
#include <bitset>

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

/// Follows one PE through its events.
class Follower {
 public:
  Follower(const Activity& window, PeActivity& pe)
      : window_(window), pe_(pe), next_(window.boundary(1)) {}

  void see(const Event& event) {
    const auto time = std::max<Nanos>(0, event.time);  // a PE may be up before the run starts
    advance(time);
    apply(event);
    if (time >= window_.from && time <= window_.to)
      ++pe_.count[static_cast<std::size_t>(event.kind)];
  }

  /// Lets the present state last until `time`.
  void advance(Nanos time) {
    time = std::min(time, window_.to);
    while (now_ < time) {
      while (next_ <= now_) next_ = window_.boundary(++bin_ + 1);
      const auto until = std::min(time, next_);
      if (until > window_.from) add(pe_.bins[bin_], until - std::max(now_, window_.from));
      now_ = until;
    }
  }

 private:
  void add(Bin& bin, Nanos duration) const {
    const auto time = static_cast<double>(duration);
    const auto running = static_cast<double>(running_.count());
    const auto runnable = static_cast<double>(runnable_);
    if (collecting_) {
      bin.gc += time;
    } else if (running_.any() || runnable_ > 0) {
      bin.busy += time;
      bin.active += time * (running + runnable);
      bin.running += time * running;
    } else if (blocked_ > 0) {
      bin.blocked_only += time;
    }
    const auto alive = running + runnable + static_cast<double>(blocked_);
    if (!collecting_ && alive >= pe_.header.thread_limit)
      bin.held += time * std::max(0.0, pe_.header.workers - running);
    // During a collection the threads that were running wait like the others.
    bin.runnable += time * (collecting_ ? running + runnable : runnable);
    bin.blocked += time * static_cast<double>(blocked_);
    bin.sparks += time * static_cast<double>(sparks_);
  }

  // Lost events must not leave a thread running for ever: whatever a worker does next corrects it.
  void apply(const Event& event) {
    const auto leave = [this](std::int64_t& number) {
      number = std::max<std::int64_t>(0, number - 1);
    };
    switch (event.kind) {
      case Kind::thread_start:
        ++runnable_;
        break;
      case Kind::thread_run:
        leave(runnable_);
        running_.set(event.worker);
        break;
      case Kind::thread_block:
        ++blocked_;
        running_.reset(event.worker);
        break;
      case Kind::thread_resume:
        leave(blocked_);
        ++runnable_;
        break;
      case Kind::thread_end:
      case Kind::idle_begin:
        running_.reset(event.worker);
        break;
      case Kind::gc_begin:
        collecting_ = true;
        break;
      case Kind::gc_end:
        collecting_ = false;
        break;
      case Kind::load:
        sparks_ = event.value;
        break;
      default:
        break;
    }
  }

  const Activity& window_;
  PeActivity& pe_;
  Nanos now_ = 0;
  std::size_t bin_ = 0;
  Nanos next_;  // end of bin_
  std::bitset<trace::max_workers> running_;
  std::int64_t runnable_ = 0;
  std::int64_t blocked_ = 0;
  std::uint32_t sparks_ = 0;
  bool collecting_ = false;
};

}  // namespace

Bin& Bin::operator+=(const Bin& other) {
  busy += other.busy;
  blocked_only += other.blocked_only;
  gc += other.gc;
  active += other.active;
  running += other.running;
  runnable += other.runnable;
  blocked += other.blocked;
  sparks += other.sparks;
  held += other.held;
  return *this;
}

Nanos Activity::boundary(std::size_t bin) const {
  const auto bins = static_cast<Nanos>(sum.size());
  const auto index = static_cast<Nanos>(bin);
  return from + length() / bins * index + length() % bins * index / bins;
}

int Activity::workers() const {
  int workers = 0;
  for (const auto& pe : pes) workers += pe.header.workers;
  return workers;
}

double Activity::parallelism() const {
  double running = 0;
  for (const auto& pe : pes) running += pe.total.running;
  return running / static_cast<double>(length());
}

Nanos came_at(const LogFile& log) {
  return log.header.joined ? std::max<Nanos>(log.header.start + log.header.offset, 1) : 0;
}

Activity measure(const Run& run, Nanos from, Nanos to, std::size_t bins) {
  Activity activity;
  activity.from = from;
  activity.to = std::max(to, from + static_cast<Nanos>(bins));
  activity.run_end = run.end;
  activity.sum.resize(bins);
  activity.pes.reserve(run.logs.size());
  for (const auto& log : run.logs) {
    auto& pe = activity.pes.emplace_back();
    pe.header = log.header;
    pe.complete = log.complete;
    pe.came = came_at(log);
    pe.last = log.last;
    pe.bins.resize(bins);
    Follower follower(activity, pe);
    replay(
        log, [&follower](const Event& event) { follower.see(event); }, nullptr);
    follower.advance(log.last);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      pe.total += pe.bins[bin];
      activity.sum[bin] += pe.bins[bin];
    }
  }
  activity.decisions = find_decisions(run, activity.from, activity.to);
  return activity;
}

}  // namespace trawl::profile
