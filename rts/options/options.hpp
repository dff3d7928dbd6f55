// The runtime's flags: --trawl:NAME on the command line, TRAWL_NAME in the environment below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// The event log tells 256 apart, and a PE may get spare ones (progress/spares.hpp).
inline constexpr int most_workers = 192;

enum class StatsFormat : std::uint8_t { none, text, json };

struct Options {
  int workers = 0;  ///< 0: cores this PE may use / PEs on the host
  unsigned thread_limit = 1024;
  unsigned low_watermark = 0;
  std::size_t spark_pool = 262144;     ///< sparks a worker
  std::size_t stack_size = 8U << 20U;  ///< bytes a thread
  std::size_t heap = 8U << 20U;        ///< bytes to start with
  std::size_t heap_max = 0;            ///< bytes of memory; 0: the PE's share of the host's
  unsigned collect_every = 0;          ///< at each so many-th allocation; 0: when it is due
  unsigned max_fish = 0;               ///< under way; 0: as the policy wants
  double fish_delay = 20;              ///< microseconds
  double fish_delay_max = 5000;        ///< microseconds; at least fish_delay
  std::string policy = "trawl";
  std::size_t packet_size = 64U << 10U;  ///< bytes
  std::size_t thunks_per_packet = 1024;
  std::string cluster;         ///< empty: the host is the cluster
  double speed = 0;            ///< 0: measured
  double silence = 10;         ///< seconds after which a PE counts as lost; see several_hosts
  std::string recover = "on";  ///< on, off: does the run go on when a PE has died?
  std::string backup = "on";   ///< on, off: is what a slow PE has for long run by another, too?
  double grace = 20;           ///< seconds that a PE which leaves has to finish its threads
  double yield = 0;            ///< cores that others use of the host, for it to leave; 0: never
  int copies = 8;  ///< after so many skeletons distributed data have a copy on another PE; 0: never
  double copy_share = 0.02;  ///< of the time that copies may take, about; 0: nothing bounds it
  std::string fabric;        ///< empty: net if one of the next three is given, else mpi
  std::string join;          ///< where the main PE may be met; empty: this is it
  std::string meet;          ///< the main PE's port, or files of its launcher
  int pes = 0;               ///< how many there are, for the main PE; 0: the launcher knows
  int seats = 0;    ///< how many there may be in all, for the main PE; 0: as many as there are
  std::string key;  ///< the run's; empty: none
  std::string encrypt = "on";
  double start_wait = 60;  ///< seconds that PEs wait for each other; 0: for ever
  std::string grid;        ///< file; empty: the PEs are as they are
  std::string simulate;    ///< file; empty: off
  unsigned seed = 0;       ///< of random decisions; 0: from the clock, and 1 where it is simulated
  std::string trace;       ///< directory; empty: off
  std::string record;      ///< file; empty: off
  StatsFormat stats = StatsFormat::none;
  std::string stats_file;  ///< empty: standard error
  std::string flags;       ///< file; empty: none
  bool progress = false;   ///< lines on standard error while the program runs
  bool help = false;
  bool version = false;
};

/// Takes the runtime's flags out of `args` (the program's name is args[0]) and leaves the rest.
/// What a file (--trawl:flags) says is below the environment, and that below `args`. Throws Error
/// with exit code 2 for what it can't make sense of.
Options take_options(std::vector<std::string>& args);

/// Of arguments and an environment that make no sense as a whole, those flags by which a PE joins
/// the others: so that it can tell them. The rest is as by default. Throws nothing but for lack of
/// memory.
Options options_to_join(const std::vector<std::string>& args);

/// What all PEs of a run have to agree on, as one number (not 0): the program's own arguments and
/// those flags that are not about one PE. `args` as take_options leaves them.
std::uint64_t flags_digest(const Options& options, const std::vector<std::string>& args);

/// Every flag, its default, what it does.
std::string options_help();

}  // namespace trawl
