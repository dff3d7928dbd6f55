// The critical path, as far as logs tell: from the run's end back to its beginning, always by what
// came last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiles/report/births.hpp"
#include "profiles/report/slices.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// What the run's end was waiting for.
enum class Step : std::uint8_t {
  run,     ///< a thread ran
  queue,   ///< a thread could have run, and no worker was free for it
  travel,  ///< a spark, or a value, was on its way
  none,    ///< the PE had nothing to run, and nothing says what it was waiting for
  start,   ///< before the first thread
  end,     ///< after the last
};
inline constexpr std::size_t steps = 6;

struct Segment {
  Nanos begin = 0, end = 0;
  Step step = Step::run;
  int pe = 0;
  std::uint32_t code = unknown;  ///< of the thread that runs, or waits
  int from = -1;                 ///< PE, of what travels
};

struct Path {
  bool known = false;                           ///< false: there is too much, or nothing, to follow
  std::vector<Segment> segments;                ///< in the order of time, without gaps
  std::array<double, steps> time{};             ///< ns, by Step
  std::map<std::uint32_t, double> by_function;  ///< ns that threads of it ran on the path
  double held = 0;          ///< ns of `run`: while what ran next on it only wanted a worker
  double between = 0;       ///< ns of `queue`: from a thread to the next one of its worker
  std::uint64_t hops = 0;   ///< from PE to PE
  std::uint64_t wakes = 0;  ///< from a thread to the one of its PE that waited for it
};

/// Keeps what the path may be made of: 48 bytes a slice, 32 a message with a spark or a value.
class PathFinder {
 public:
  static constexpr std::size_t most_slices = std::size_t{1} << 22U;

  PathFinder(Nanos from, Nanos to) : from_(from), to_(to) {}

  void see(int pe, const trace::Event& event);
  void see(int pe, const Slice& slice);
  Path find(const Births& births);

 private:
  void send(int pe, const trace::Event& event);

  struct Kept {
    Nanos begin, end, ready;
    std::uint64_t message;
    std::uint32_t thread, code;
    std::uint32_t other;  // a PE if it was a message that came last, else a thread
    Cause cause;
  };
  /// A value that came from a PE; one that is sent on at once was waited for by two.
  struct Passed {
    std::uint64_t message = 0;
    int from = -1;
  };
  struct Sent {
    std::uint64_t message;
    Nanos time;
    Passed passed;  // the same value, if the PE had it from another
  };
  using Lane = std::vector<Kept>;                // of one worker, in the order of time
  using Thread = std::pair<int, std::uint32_t>;  // of a PE
  struct Position {
    int pe;
    std::uint8_t worker;
    std::size_t at;
  };
  friend class Walk;

  Nanos from_, to_;
  std::map<int, std::map<std::uint8_t, Lane>> lanes_;
  std::map<Thread, std::vector<std::pair<Nanos, Nanos>>> making_;  // when it ran and made sparks
  std::vector<Sent> sent_;                                         // by name
  Passed value_;  // has just come to the PE that is being read
  std::uint64_t last_received_ = 0;
  std::size_t slices_ = 0;
};

}  // namespace trawl::profile
