// Where this PE is: its host, its share of the cores, its speed.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sys/types.h>

namespace trawl {

/// Cores that this process may use, if it is alone. Allocates nothing.
int usable_cores();

std::string host_name();

/// How fast this core computes, in arbitrary units: millions of rounds of a small integer loop a
/// second of processor time. Takes some milliseconds.
double measure_speed();

/// Cores that a process is bound to, by the numbers of the operating system.
using Cores = std::vector<unsigned>;

/// A PE's share of its own cores, when PEs with these cores are on the host (its own among them):
/// those that may run on a core share it.
double cores_for(const Cores& own, const std::vector<Cores>& all);

/// What of its host a PE has.
struct HostShare {
  double cores = 1;                                       ///< its share of those it is bound to
  double time = std::numeric_limits<double>::infinity();  ///< what control groups allow, in cores
  /// Bytes: its share of what the host has, or of what control groups allow.
  double memory = std::numeric_limits<double>::infinity();

  /// How many workers have something to run on, of `most`.
  int workers(int most) const;
  /// Has each of so many workers a core for itself?
  bool has_room_for(int workers) const { return workers <= cores && workers <= time; }
  /// Of a core, for each of so many workers while all PEs of the host are busy.
  double of_core(int workers) const;
  /// Of one of so many workers, when a whole core has speed `of_core`.
  double speed(double of_core, int workers) const;
};

/// For this process, one of so many PEs on the host. `neighbours`: the processes of the others, as
/// far as they are known; others are taken to be bound as this one is.
HostShare share_of_host(int pes, const std::vector<pid_t>& neighbours);

}  // namespace trawl
