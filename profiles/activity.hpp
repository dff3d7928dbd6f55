// What each PE did, moment by moment: events summed into bins of equal length.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "profiles/decisions.hpp"
#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// The activity within one slice of time. The first three are nanoseconds of the slice, which is
/// idle for the rest; the others are numbers integrated over it: divided by its length they are
/// means.
struct Bin {
  double busy = 0;          ///< with a running or a runnable thread
  double blocked_only = 0;  ///< with nothing but blocked threads
  double gc = 0;            ///< in a collection
  double active = 0;        ///< running and runnable threads, while busy
  double running = 0;       ///< threads; none runs during a collection
  double runnable = 0;
  double blocked = 0;
  double sparks = 0;
  double held = 0;  ///< workers that run nothing, while as many threads live as may

  Bin& operator+=(const Bin& other);
};

/// One PE.
struct PeActivity {
  trace::Header header;
  bool complete = true;  ///< false: the log ends early, at `last`
  Nanos came = 0;        ///< when it joined the run; 0: it was there from the start
  Nanos last = 0;
  std::vector<Bin> bins;
  Bin total;                                                    ///< of the whole window
  std::array<std::uint64_t, trace::kind_names.size()> count{};  ///< events by kind, in the window

  /// How long it was there between two times.
  Nanos was_there(Nanos from, Nanos to) const {
    return std::max<Nanos>(0, std::min(last, to) - std::max(came, from));
  }
  std::uint64_t events(trace::Kind kind) const { return count[static_cast<std::size_t>(kind)]; }
};

/// The window [from, to) of a run.
struct Activity {
  Nanos from = 0;
  Nanos to = 0;
  Nanos run_end = 0;
  std::vector<PeActivity> pes;
  std::vector<Bin> sum;             ///< over all PEs
  std::vector<Decision> decisions;  ///< of the window

  Nanos length() const { return to - from; }
  /// Start of a bin; boundary(bins) is `to`.
  Nanos boundary(std::size_t bin) const;
  double length(std::size_t bin) const {
    return static_cast<double>(boundary(bin + 1) - boundary(bin));
  }
  int workers() const;
  /// The mean number of threads that ran at the same time.
  double parallelism() const;
};

/// When a PE joined; 0: it was there from the start.
Nanos came_at(const LogFile& log);

/// Sums up a run between two of its times, 0 and run.end unless a part of it is wanted. The window
/// is at least one nanosecond a bin. Throws Error when a log can't be read any more.
Activity measure(const Run& run, Nanos from, Nanos to, std::size_t bins);

}  // namespace trawl::profile
