// What a run is judged by: numbers only, and no decision yet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/activity.hpp"
#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/report/audit.hpp"
#include "profiles/report/messages.hpp"
#include "profiles/report/path.hpp"
#include "profiles/report/shards.hpp"

namespace trawl::profile {

/// Where the workers' time went: shares, which make 1 together.
struct Shares {
  double busy = 0;     ///< threads ran
  double gc = 0;       ///< a collection stopped them
  double between = 0;  ///< neither in a thread, nor noted to be idle: making and switching threads
  double start = 0;    ///< idle before more than half of all workers ran for the first time
  double tail = 0;     ///< idle after more than half of them ran for the last time
  double held = 0;     ///< idle with as many threads as may live, while there were sparks
  double blocked = 0;  ///< idle, with nothing but blocked threads, and no PE had sparks
  double starved = 0;  ///< idle, and no PE had sparks
  double apart = 0;    ///< idle, while some PE had sparks

  double idle() const { return start + tail + held + blocked + starved + apart; }
};

/// Who ran, on the critical path, in some part of the run.
struct Culprit {
  std::string function;
  int pe = 0;
  double share = 0;    ///< of that part
  double longest = 0;  ///< s, without a break
};

/// What each share is called in JSON, and in words.
struct ShareName {
  std::string_view json, words;
  double Shares::*share;
};
inline constexpr std::array share_names{
    ShareName{"busy", "in threads", &Shares::busy},
    ShareName{"gc", "collections", &Shares::gc},
    ShareName{"between_threads", "between threads", &Shares::between},
    ShareName{"late_start", "before most ran", &Shares::start},
    ShareName{"tail", "after most ran", &Shares::tail},
    ShareName{"blocked", "only blocked threads", &Shares::blocked},
    ShareName{"no_sparks", "no sparks anywhere", &Shares::starved},
    ShareName{"sparks_elsewhere", "sparks elsewhere", &Shares::apart},
    ShareName{"thread_limit", "thread limit", &Shares::held},
};

/// A PE on which the same functions take longer than its speed says.
struct SlowPe {
  int pe = 0;
  double ratio = 1;  ///< of the time that they take, and that they should
  std::string function;
  std::uint64_t threads = 0;  ///< that were compared, on it
};

struct SlowLink {
  std::string from, to;
  double latency = 0;  ///< s, the median
  double inside = 0;   ///< s, that of the fastest with as many messages
  double slow = 0;     ///< s, which one of a hundred exceeds
  double carries = 0;  ///< bytes a second that it can; 0: unknown
  double busy = 0;     ///< for such a share of the time, if that is known
};

struct Facts {
  double seconds = 0;  ///< the window
  int pes = 1;
  int workers = 1;
  Shares shares;
  double start_until = 0, tail_from = 0;  ///< s; when more than half of the workers ran
  std::optional<Culprit> start_by, tail_by;
  double tail_ends = 0;  ///< share of the path after tail_from: nothing was left to run

  std::uint64_t threads = 0;  ///< that ran
  double thread_mean = 0;     ///< s, that each did
  std::uint64_t imported = 0;
  double imported_mean = 0;  ///< s
  double longest = 0;        ///< s, of one thread
  std::string longest_function;
  std::string finest_function;  ///< with the most threads
  double sparks = 0;            ///< of a worker, in its pool, mean
  double runnable = 0;          ///< threads of a worker, mean
  double speed_mean = 1;
  double tail_speed = 1;  ///< of the PE of tail_by

  Pieces pieces;
  std::uint64_t fish = 0, fish_in_vain = 0;
  double fish_time = 0;  ///< s, mean; a FISH may be held where there is nothing yet
  double way = 0;        ///< s, twice the median of a message where most are sent
  std::optional<SlowPe> slow_pe;
  std::optional<SlowLink> slow_link;  ///< the slowest

  std::uint64_t blocks = 0;
  double blocked_afar = 0;       ///< of all time in which threads were blocked, until RESUME came
  std::string blocked_function;  ///< whose threads were blocked for longest
  double path_run = 0, path_travel = 0, path_queue = 0, path_none = 0;  ///< shares of the path
  double path_ends = 0;  ///< the same, before the first thread and after the last
  std::uint64_t path_hops = 0, path_wakes = 0;
  bool path_known = false;
  std::uint64_t collections = 0;
  double collection = 0;                ///< s, mean
  int lost_logs = 0;                    ///< that end early
  double sparks_made = 0;               ///< of the whole run, about
  std::uint64_t sparks_ignored = 0;     ///< ... that found no room in their worker's pool
  std::vector<int> lost, left, joined;  ///< PEs
};

/// Nothing was written of what ran.
inline bool is_unknown(const Facts& facts) {
  return facts.threads == 0 && facts.lost_logs > 0;
}

Facts judge(const Activity& activity, const Fishing& fishing, const Granularity& granularity,
            const std::vector<FunctionAudit>& functions, const Path& path, const Messages& messages,
            const std::vector<double>& idle_noted);

}  // namespace trawl::profile
