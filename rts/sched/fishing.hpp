// Fishing: how a PE without work asks for some, and how one with work answers (Grid-GUM2, figures
// 2 and 3). What to do is decided in rts/balance; this is how.
#pragma once

#include <functional>
#include <memory>
#include <random>

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

  /// Each reads the rest of a message; they throw BadBytes.
  void on_fish(Reader& message, Worker* by, Nanos now);
  /// A SCHEDULE has arrived: one of our FISH was answered.
  void caught();

  unsigned outstanding() const noexcept { return outstanding_; }

 private:
  bool hungry() const;
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
};

}  // namespace trawl::sched
