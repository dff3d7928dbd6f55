// Fishing: how a PE without work asks for some, and how one with work answers (Grid-GUM2, figures
// 2 and 3). What to do is decided in rts/balance; this is how.
#pragma once

#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "rts/balance/policy.hpp"
#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/options/options.hpp"
#include "rts/sched/messages.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::sched {

/// Guarded by its PE's lock.
class Fishing {
 public:
  Fishing(const Options& options, std::uint64_t seed, balance::Tables& tables, Workers& workers,
          fabric::Outbox& outbox, Counters& counters);

  /// Sends a FISH if this PE wants sparks and has none under way.
  void consider();

  /// Feeds the FISH that are held here, and sends home those whose patience is at an end. Tells PEs
  /// whose FISH were here in vain if there are sparks for them too, or sees to it that the next
  /// spark notifies the progress thread. Says when it has to be called again even if nothing
  /// happens (progress::State::due).
  void serve(Worker* by, Nanos now);

  /// It throws BadBytes when it is one of ours that was not sent; so does `caught`.
  void on_fish(balance::Fish fish, Worker* by, Nanos now);
  /// One of our FISH was answered, perhaps with more than one SCHEDULE: to be called for the first.
  void caught();
  void on_work_available(int from);

  /// Our FISH that are under way, or held somewhere.
  unsigned outstanding() const noexcept { return outstanding_; }
  /// The FISH of `thief` that are held here.
  std::size_t held(int thief) const noexcept;

 private:
  bool hungry() const;
  bool feed(int thief, Worker* by);
  void keep(const balance::Fish& fish, Nanos now);
  void feed_held(Worker* by);
  void return_held(Nanos now);
  void remember(int thief);
  void watch_or_announce(Nanos now);
  void fish_at(int victim);
  void came_home();

  balance::Tables& tables_;
  Workers& workers_;
  fabric::Outbox& outbox_;
  Counters& counters_;
  std::unique_ptr<balance::Policy> policy_;
  balance::Backoff backoff_;
  std::mt19937_64 random_;
  unsigned low_watermark_;
  unsigned max_fish_;
  unsigned outstanding_ = 0;
  bool invited_ = false;

  struct Held {
    balance::Fish fish;
    Nanos until;
  };
  std::vector<Held> held_;        // oldest first
  std::vector<int> turned_away_;  // PEs, each once
  bool watching_ = false;
  Nanos next_announcement_ = 0;
};

}  // namespace trawl::sched
