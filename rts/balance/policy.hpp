// Where a PE fishes, where a PE without sparks sends the fish of another, and how many sparks one
// with some gives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rts/balance/dice.hpp"
#include "rts/balance/fish.hpp"
#include "rts/balance/tables.hpp"

namespace trawl::balance {

/// One of this PE's FISH that is under way, or held somewhere.
struct Cast {
  std::uint16_t number = 0;
  int victim = 0;
  std::uint32_t cluster = 0;  ///< the victim's
  bool far = false;           ///< it is not ours
  Nanos sent = 0;
  bool ahead = false;     ///< it was sent while there still was something to do
  Nanos back_by = never;  ///< unless a PE on its way stands still
};

/// The PE that decides, at this moment. Times are by its own clock.
struct Situation {
  Nanos now = 0;
  bool hungry = true;                   ///< idle, or under its low-watermark
  bool idle = true;                     ///< it has not enough threads and sparks for its workers
  Nanos rest = 0;                       ///< how long what it has will do, estimated
  Nanos between_threads = 0;            ///< from the end of one of its threads to the next, about
  unsigned waiting = 0;                 ///< PEs near by whose FISH were here in vain
  unsigned most_near = 1;               ///< FISH of the usual kind that may be under way
  Nanos near_after = 0, far_after = 0;  ///< since the last came home in vain: not before
  std::span<const Cast> under_way{};
};

/// Where to send a FISH, if anywhere; and when to ask again even if nothing happens until then.
struct Decision {
  int victim = -1;
  Nanos again = never;
  bool gauges = false;  ///< a GAUGE goes first
};

/// What a PE has to give.
struct Supply {
  std::uint32_t spare = 0;  ///< sparks that its own workers do not wait for
  /// Threads it has begun since it last made a spark; 0 too if the present ones take much longer.
  std::uint32_t quiet = 0;
  /// It has made sparks, and as far as can be seen is done with none: nobody knows how long they
  /// are.
  bool untried = false;
};

/// What a policy has beside FISH and SCHEDULE.
struct Means {
  bool holds_fish = false;  ///< one of a near thief is kept where it ends in vain, for its patience
  bool announces = false;   ///< WORK_AVAILABLE goes to near PEs whose fish were here in vain
  bool at_once = false;     ///< after a FISH in vain the next goes after the shortest delay
  bool looks_ahead = false;   ///< a representative is asked while there is work, too
  bool backs_up = false;      ///< what a slow PE, or a far one, has for long is run by another, too
  bool goes_to_data = false;  ///< a spark goes to the PE that has the large values it needs
  bool waits_for_data =
      false;  ///< no work is fetched for more threads that would wait for the same
};

/// Decides from tables, the situation and random bits alone: no clocks, no sends. One object may
/// serve many PEs and threads.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual Means means() const { return {}; }

  /// Where the PE sends its next FISH. It is asked again after each, until it says nowhere.
  virtual Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const = 0;

  /// Where a PE without sparks sends a fish, once it has marked it with `visit(self)`: the next PE,
  /// or fish.thief when its journey ends here; -1 when the thief is lost and the fish is to be
  /// dropped. So a fish makes at most Fish::max_age visits.
  virtual int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const = 0;

  /// How many sparks a PE that can spare some gives for a FISH; 0: it is sent on.
  virtual std::uint32_t portion(const Tables& tables, const Fish& fish, const Supply& has) const;

  /// The number of sparks under which this PE fishes, given the flag's.
  virtual unsigned low_watermark(const Tables& tables, unsigned flag) const;
};

/// Throws Error (exit code 2) that names the known policies when `name` is not one.
std::unique_ptr<Policy> make_policy(std::string_view name);
std::vector<std::string_view> policy_names();

std::unique_ptr<Policy> make_random();
std::unique_ptr<Policy> make_targeted();
std::unique_ptr<Policy> make_rs();
std::unique_ptr<Policy> make_crs();
std::unique_ptr<Policy> make_cmrs();
std::unique_ptr<Policy> make_acrs();
std::unique_ptr<Policy> make_trawl();

}  // namespace trawl::balance
