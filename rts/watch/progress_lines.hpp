// --trawl:progress: how far a run is, a line every few seconds on standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rts/trace/pulse.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::watch {

/// What is said of a run: sums over PEs.
struct Progress {
  std::uint32_t pes = 0, silent = 0;
  std::uint64_t workers = 0, busy = 0, sparks = 0, done = 0, threads = 0, heap = 0;
  std::uint64_t life = 0, idle = 0;  ///< ns, of workers

  /// Of the PEs that are there and have said something.
  static Progress of(const trace::Table& table, Nanos time);
};

/// `before`: what was said last.
std::string progress_line(const Progress& now, Nanos time, const Progress& before,
                          Nanos time_before);

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
  Nanos last_time_ = 0;  // 0: nothing has been said
  Progress last_{};
};

}  // namespace trawl::watch
