// What a PE counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/inline/tally.hpp"

namespace trawl {

enum class Count : std::uint8_t {
  sparks_created,
  sparks_converted,  ///< became a thread
  sparks_subsumed,   ///< evaluated by whoever needed them
  sparks_fizzled,    ///< found evaluated when their turn came
  sparks_ignored,    ///< the pool was full
  sparks_exported,
  sparks_imported,
  sparks_to_data,    ///< of those that were exported: unasked, to the PE that has their data
  sparks_backed_up,  ///< sent away, and run a second time as their PE was slow
  threads_created,
  threads_blocked,
  fish_sent,
  fish_answered,  ///< with a spark of ours
  fish_forwarded,
  fish_home_empty,
  fetch_sent,
  fetch_received,
  resume_sent,
  resume_received,
  ack_sent,
  free_sent,
  packets_sent,
  packet_bytes,
  messages_sent,
  message_bytes,
  messages_received,
  slots,    ///< of the GA table, at the end
  proxies,  ///< of the GA table, at the end
  gc_count,
  gc_time,  ///< ns; all workers of the PE stand still
  heap_bytes,
  live_bytes,       ///< after the last collection
  allocated_bytes,  ///< for nodes and by operator new
  busy_time,  ///< ns, summed over workers, without collections: from finding work to finding none
  idle_time,  ///< ns, summed over workers, without collections: the rest
  progress_time,    ///< ns in which others than workers handled messages
  full_time,        ///< ns in which the PE took no work, as its memory was nearly full
  pes_lost,         ///< of which this PE was told while it ran
  pes_left,         ///< the same, of PEs that have left
  pes_joined,       ///< ... that have come
  thunks_revived,   ///< that a lost PE had, to be evaluated again
  values_remade,    ///< that were lost with a PE, by what they came from
  values_lost,      ///< with a PE: who needs them is lost too, and is evaluated again
  slots_leaked,     ///< slots of this PE that a lost one may have referred to, and no census has
                    ///< found out, at the end
  slots_corrected,  ///< ... of which it had a share that was found by one, and written off
  count
};

inline constexpr std::size_t counts = static_cast<std::size_t>(Count::count);

std::string_view name_of(Count count);

/// Tallies by name.
class Counters {
 public:
  void add(Count what, std::uint64_t n = 1) noexcept { at(what).add(n); }
  void set(Count what, std::uint64_t n) noexcept { at(what).set(n); }
  std::uint64_t operator[](Count what) const noexcept {
    return values_[static_cast<std::size_t>(what)].value();
  }

 private:
  Tally& at(Count what) noexcept { return values_[static_cast<std::size_t>(what)]; }

  std::array<Tally, counts> values_;
};

/// Where a worker's time went, in ns. Together that is its life.
struct WorkerTimes {
  std::uint64_t mutator = 0;        ///< it ran threads of the program, or took the next
  std::uint64_t collector = 0;      ///< it stood still
  std::uint64_t communication = 0;  ///< it handled messages
  std::uint64_t idle = 0;           ///< it had nothing to do

  friend bool operator==(const WorkerTimes&, const WorkerTimes&) = default;
};

/// The counters of one PE at one moment, and the times of its workers: the spare ones come last.
struct Statistics {
  std::array<std::uint64_t, counts> values{};
  std::vector<WorkerTimes> workers{};

  std::uint64_t& operator[](std::size_t i) noexcept { return values[i]; }
  std::uint64_t operator[](std::size_t i) const noexcept { return values[i]; }

  friend bool operator==(const Statistics&, const Statistics&) = default;
};

void add_to(Statistics& sum, const Counters& counters);

/// A link of a described grid.
struct LinkUse {
  std::string from, to;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  Nanos busy = 0;  ///< carries something
};

/// Of all PEs that have answered. What all of them hear of counts once.
Statistics sum_of(const std::vector<std::optional<Statistics>>& by_pe);

/// Statistics of a whole run, for people or (as JSON) for programs: `-` and null for a PE that did
/// not answer. `elapsed` is the run's wall time. Of many links, people are shown the busiest.
std::string statistics_text(const std::vector<std::optional<Statistics>>& by_pe, Nanos elapsed,
                            const std::vector<LinkUse>& links = {});
std::string statistics_json(const std::vector<std::optional<Statistics>>& by_pe, Nanos elapsed,
                            const std::vector<LinkUse>& links = {});

}  // namespace trawl
