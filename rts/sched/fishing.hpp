// Fishing: how a PE without work asks for some, and how one with work answers (Grid-GUM2, figures
// 2 and 3). What to do is decided in rts/balance; this is how.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "rts/balance/policy.hpp"
#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/sharing.hpp"
#include "rts/options.hpp"
#include "rts/sched/crew.hpp"
#include "rts/stats.hpp"

namespace trawl::sched {

/// Guarded by its PE's lock.
class Fishing {
 public:
  Fishing(const Options& options, std::uint64_t seed, balance::Tables& tables, Crew& crew,
          fabric::Post& post, Counters& counters);

  /// Sends a FISH if this PE wants sparks, has none under way, and has waited long enough.
  void consider(Nanos now);

  /// Tells PEs whose FISH were here in vain if there are sparks for them now, or sees to it that
  /// the next spark rings the doorman.
  void bait(Nanos now);
  /// May a PE have to be told of sparks that ring nobody? Any thread may ask.
  bool resting() const noexcept { return resting_.load(std::memory_order_relaxed); }
  static constexpr Nanos between_baits = 2'000'000;

  /// Each reads the rest of a message; they throw BadBytes.
  void on_fish(Reader& message, Worker* by, Nanos now);
  /// One of our FISH was answered, perhaps with more than one SCHEDULE: to be called for the first.
  void caught();
  void on_bait(int from);

  unsigned outstanding() const noexcept { return outstanding_; }

 private:
  bool hungry() const;
  bool feed(int thief, Worker* by);
  void remember(int thief);
  void fish_at(int victim);
  void came_home(Nanos now);
  void send(int to, const balance::Fish& fish);

  balance::Tables& tables_;
  Crew& crew_;
  fabric::Post& post_;
  Counters& counters_;
  std::unique_ptr<balance::Policy> policy_;
  balance::Backoff backoff_;
  std::mt19937_64 random_;
  unsigned low_watermark_;
  unsigned max_fish_;
  unsigned outstanding_ = 0;
  Nanos not_before_ = 0;

  std::vector<int> disappointed_;  // PEs, each once
  bool watching_ = false;
  Nanos next_bait_ = 0;
  std::atomic<bool> resting_{false};
};

}  // namespace trawl::sched
