// --trawl:progress: how far a run is, a line every few seconds on standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rts/trace/pulse.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::watch {

/// What is said of a run: sums over the PEs that are there.
struct Progress {
  std::uint32_t pes = 0;
  std::uint32_t silent = 0;  ///< of them
  std::uint64_t workers = 0, busy = 0, sparks = 0, done = 0, threads = 0, heap = 0;
  double rate = 0;  ///< sparks done a second, lately
  double idle = 0;  ///< of the workers' time, lately; 0 to 1
};

/// Compares each PE with itself: it is not always the same ones that are there and have answered.
class ProgressHistory {
 public:
  /// *Lately* is since the call before; for a PE that is new, since the run began.
  Progress take(const trace::Table& table, Nanos time);

 private:
  struct Seen {
    Nanos time = 0;  // by the PE's clock
    std::uint64_t done = 0, life = 0, idle = 0;
  };

  std::vector<std::optional<Seen>> seen_;  // by PE
};

std::string progress_line(const Progress& now, Nanos time);

class ProgressLines {
 public:
  ProgressLines();

  /// Says a line if one is due. Times are the run's.
  void look(Nanos time, const trace::Table& table);
  /// The last line; none if there was no other. `statistics` by PE; empty: the run has failed.
  void end(Nanos time, const std::vector<std::optional<Statistics>>& statistics);

 private:
  void say_line(const std::string& line, bool last);

  bool in_place_;  // on a terminal that the program does not write to
  Nanos next_;
  bool said_ = false;
  ProgressHistory history_;
};

}  // namespace trawl::watch
