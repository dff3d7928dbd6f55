// Fishing: how a PE without work asks for some, and how one with work answers (Grid-GUM2, figures
// 2 and 3). What to do is decided in rts/balance; this is how.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "rts/balance/backoff.hpp"
#include "rts/balance/gauge.hpp"
#include "rts/balance/policy.hpp"
#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/options/options.hpp"
#include "rts/sched/backups.hpp"
#include "rts/sched/messages.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::sched {

/// Guarded by its PE's lock.
class Fishing {
 public:
  Fishing(const Options& options, std::uint64_t seed, balance::Tables& tables, Workers& workers,
          fabric::Outbox& outbox, Counters& counters);

  /// Sends the FISH that the policy wants sent. Whether it is to be asked again even if nothing
  /// happens goes into progress::State::due, at the next `serve` too.
  void consider(Nanos now);

  /// Feeds the FISH that are held here, and sends home those whose patience is at an end. Tells PEs
  /// whose FISH were here in vain if there are sparks for them too, or sees to it that the next
  /// spark notifies the progress thread. Says when it has to be called again even if nothing
  /// happens (progress::State::due).
  void serve(Worker* by, Nanos now);

  /// It throws BadBytes when it is one of ours that is not under way; so does `caught`.
  void on_fish(balance::Fish fish, Worker* by, Nanos now);
  /// Our FISH of this number was answered, perhaps with more than one SCHEDULE: to be called for
  /// the first.
  void caught(std::uint16_t number, Nanos now);
  void on_gauge(const balance::Gauge& message, int from);
  void on_work_available(int from, Nanos now);

  /// This PE leaves: no FISH is held here any more.
  void begin_to_leave(Nanos now);

  /// A PE is gone. It may have had our FISH: nobody waits for those any more, though some may come.
  void gone(int pe, Nanos now);

  /// While `full`, no FISH is sent: there is no room for others' work.
  void set_full(bool full, Nanos now) noexcept;
  bool full() const noexcept { return full_; }

  const balance::Means& means() const noexcept { return means_; }
  /// Our FISH that are under way, or held somewhere.
  unsigned outstanding() const noexcept { return static_cast<unsigned>(under_way_.size()); }
  /// The FISH of `thief` that are held here.
  std::size_t held(int thief) const noexcept;
  /// When the policy is to be asked again; `never`: when something has happened.
  Nanos again() const noexcept { return again_; }

 private:
  void fish(Nanos now);
  void gauge(int pe, bool answers);
  void ask_again(Nanos when);
  void write_off_overdue(Nanos now);
  bool hungry(const balance::Load& load) const;
  unsigned low_watermark() const;
  bool is_idle(const balance::Load& load) const;
  bool binds_what_waits() const;
  bool may_fish() const noexcept;
  bool looks_ahead() const noexcept;
  bool fishes_for_others() const;
  unsigned most_near() const noexcept { return std::max(max_fish_, 1U); }
  balance::Situation situation(const balance::Load& load, bool is_hungry, Nanos now) const;
  Nanos rest(const balance::Load& load) const;
  Nanos hungry_for(Nanos now) const {
    return std::min(now - std::min(hungry_since_, now), balance::Fish::most_hungry);
  }
  unsigned waiting() const;
  std::uint64_t threads_begun() const;
  Nanos mean_thread() const;
  balance::Supply supply(Nanos now);
  bool feed(const balance::Fish& fish, Worker* by, Nanos now);
  void note_sent(heap::Node* spark, int thief, Nanos now);
  bool may_back_up() const;
  bool pass_backup_on(const balance::Fish& fish);
  bool back_up(const balance::Fish& fish, Nanos now);
  void back_up_here(Nanos now);
  void count_backup(std::uint32_t code);
  void note_copy_sent(const balance::Fish& fish, const heap::Node* spark);
  void keep(const balance::Fish& fish, Nanos now);
  void feed_held(Worker* by, Nanos now);
  void return_held(Nanos now);
  void note_next_return();
  void remember(int thief);
  void watch_or_announce(Nanos now);
  Nanos patience();
  Nanos time_for_its_way(int victim) const;
  void fish_at(int victim, bool ahead, Nanos now);
  std::optional<balance::Cast> resolve(std::uint16_t number, bool brought_work, Nanos now);
  void came_home(std::uint16_t number, Nanos now);

  balance::Tables& tables_;
  Workers& workers_;
  fabric::Outbox& outbox_;
  Counters& counters_;
  std::unique_ptr<balance::Policy> policy_;
  const balance::Means means_;
  std::mt19937_64 random_;
  bool backs_up_;
  Backups backups_;
  unsigned low_watermark_;
  unsigned max_fish_;  // 0: as many as the policy wants

  std::vector<balance::Cast> under_way_;
  std::vector<std::uint16_t> written_off_;  // were under way when a PE died, or for too long
  std::uint16_t last_number_ = 0;
  bool invited_ = false;
  Nanos hungry_since_ = never;  // it, or who waits near by, found nothing: `never`: it is not
  bool full_ = false;
  Nanos full_since_ = 0;
  /// What follows a FISH in vain, near or far.
  struct Pause {
    balance::Backoff backoff;
    Nanos until = 0;
  };
  Pause near_, far_;
  Nanos again_ = never;

  struct Held {
    balance::Fish fish;
    Nanos since;
    Nanos until;
  };
  std::vector<Held> held_;        // oldest first
  Nanos next_return_ = never;     // the first of them
  std::vector<int> turned_away_;  // PEs, each once
  bool watching_ = false;
  std::uint64_t sparks_made_ = 0;    // at the last look
  std::uint64_t threads_begun_ = 0;  // when that last had changed
  std::uint64_t last_begun_ = 0;     // threads
  Nanos last_begun_at_ = 0;
  Nanos next_announcement_ = 0;
};

}  // namespace trawl::sched
