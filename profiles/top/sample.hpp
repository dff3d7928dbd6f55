// What a run was doing between two of its tables, for each PE.
#pragma once

#include <string>
#include <vector>

#include "rts/trace/pulse.hpp"

namespace trawl::top {

/// One PE, or several taken together.
struct Line {
  std::string name, host, cluster;
  /// What there is to be said in place of figures, if anything: "lost".
  std::string remark;
  int pes = 1;
  std::uint64_t workers = 0, busy = 0;                              ///< now
  std::uint64_t sparks = 0, runnable = 0, blocked = 0;              ///< now
  std::uint64_t done = 0, threads = 0, exported = 0, imported = 0;  ///< so far
  std::uint64_t heap_used = 0, heap_bytes = 0;                      ///< now
  /// Of the workers' time, lately; 0 to 1.
  double mutator = 0, collector = 0, communication = 0, idle = 0;
  /// A second, lately.
  double done_rate = 0, fish_rate = 0, vain_rate = 0, message_rate = 0, byte_rate = 0;
  double latency = -1;  ///< seconds, one way, from the main PE, the longest; < 0: not known
  double speed = 1, pace = 1;
  trace::Pulse pulse{};  ///< of one PE
};

struct LinkLine {
  std::string one, other;     ///< clusters
  double latency = -1;        ///< seconds, one way; < 0: not known
  double bytes_a_second = 0;  ///< at least; 0: not known
};

struct Sample {
  trace::TableHead head{};
  std::vector<Line> pes;
  std::vector<LinkLine> links;
  Line total;  ///< of those that are there and answer
  int lost = 0, leaving = 0, left = 0, to_come = 0, silent = 0;

  /// By clusters, in the order of their first PEs.
  std::vector<Line> by_cluster() const;
};

/// Compares each table with the one before.
class History {
 public:
  Sample take(const trace::Table& table);
  /// Every PE that is there has been heard of twice: rates are those of the time in between.
  bool complete(const trace::Table& table) const;

 private:
  struct Seen {
    trace::Pulse now, before;
    int count = 0;
  };

  void note(const trace::Table& table);

  std::vector<Seen> seen_;  // by PE
};

}  // namespace trawl::top
