// What can be seen of a run while it goes on, as the main PE shows it in memory: what rts/watch
// writes and trawl-top (profiles/top) reads.
//
//   table = magic 8, version 4, rows 4, links 4, 0 4, head (232 bytes),
//           a row (288 bytes) for each PE, a link (24 bytes) for each that is known, checksum 8
//
// All numbers are in the byte order of the machine that wrote them. Counts are those of the
// statistics (stats.hpp), so far.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "rts/trace/format.hpp"

namespace trawl::trace {

/// A name, cut where it is longer; zeros behind it.
template <std::size_t size>
using Name = std::array<char, size>;

template <std::size_t size>
void set_name(Name<size>& name, std::string_view text) noexcept {
  name.fill(0);
  std::copy_n(text.begin(), std::min(text.size(), size - 1), name.begin());
}

template <std::size_t size>
std::string_view text_of(const Name<size>& name) noexcept {
  return {name.data(),
          static_cast<std::size_t>(std::find(name.begin(), name.end(), 0) - name.begin())};
}

/// One PE, as it says itself.
struct Pulse {
  Nanos time = 0;  ///< by its own clock: only differences mean anything
  std::uint64_t sparks_created = 0, sparks_converted = 0, sparks_subsumed = 0, sparks_fizzled = 0;
  std::uint64_t sparks_exported = 0, sparks_imported = 0;
  std::uint64_t threads_created = 0;
  std::uint64_t fish_sent = 0, fish_answered = 0, fish_in_vain = 0;
  std::uint64_t messages_sent = 0, message_bytes = 0, messages_received = 0;
  /// ns, summed over its workers: together that is their life.
  std::uint64_t mutator = 0, collector = 0, communication = 0, idle = 0;
  std::uint64_t collections = 0;
  std::uint64_t heap_bytes = 0;  ///< that its heap has
  std::uint64_t heap_used = 0;   ///< of that, pages that something is in
  std::uint64_t pace = 1000;     ///< thousandths of its speed, at present
  std::uint32_t sparks = 0;      ///< in its pools
  std::uint32_t runnable = 0;    ///< threads that could run
  std::uint32_t blocked = 0;     ///< threads that wait
  std::uint16_t workers = 1;     ///< without spare ones
  std::uint16_t busy = 0;        ///< that run a thread; spare ones too
  Name<32> host{}, cluster{};

  /// Sparks that there is nothing left to do about.
  std::uint64_t done() const noexcept {
    return sparks_converted + sparks_subsumed + sparks_fizzled;
  }
  std::uint64_t life() const noexcept { return mutator + collector + communication + idle; }
  friend bool operator==(const Pulse&, const Pulse&) = default;
};
static_assert(sizeof(Pulse) == 256 && std::has_unique_object_representations_v<Pulse>);

enum class Presence : std::uint32_t {
  here,
  to_come,  ///< its seat is empty
  lost,
  leaves,  ///< nothing is sent to it any more
  left,
};

/// One PE, as the main PE sees it.
struct Row {
  static constexpr Nanos unheard = -1;

  Presence presence = Presence::here;
  std::uint32_t cluster = 0;  ///< its number
  Nanos heard = unheard;      ///< its pulse has come, since the run began
  Nanos latency = -1;         ///< one way, from the main PE; < 0: not known
  double speed = 1;           ///< of a worker, as compared when PEs met
  Pulse pulse{};              ///< only if heard

  bool has_pulse() const noexcept { return heard >= 0; }
  friend bool operator==(const Row&, const Row&) = default;
};
static_assert(sizeof(Row) == 288);

/// What the main PE knows of the link between two clusters.
struct Link {
  std::uint32_t one = 0, other = 0;  ///< their numbers
  Nanos latency = -1;                ///< one way; < 0: not known
  std::int64_t bytes_a_second = 0;   ///< at least; 0: not known

  friend bool operator==(const Link&, const Link&) = default;
};
static_assert(sizeof(Link) == 24);

enum class Stage : std::uint32_t { runs, over };

struct TableHead {
  std::uint64_t number = 0;  ///< of this table: the next one has another
  Nanos time = 0;            ///< since the run began
  Nanos interval = 0;        ///< between two pulses of a PE, while anybody looks
  Nanos since = 0;           ///< when it was looked at, the first time or again
  std::int32_t pid = 0;      ///< the main PE's process
  Stage stage = Stage::runs;
  Name<128> program{};
  Name<64> host{};  ///< the main PE's

  friend bool operator==(const TableHead&, const TableHead&) = default;
};

static_assert(sizeof(TableHead) == 232);

/// For how long a PE that is there has been asked in vain, if more than three times in a row;
/// else 0.
inline Nanos silence(const TableHead& head, const Row& row, Nanos time) noexcept {
  const auto silent = time - std::max(row.heard, head.since);
  return silent > 3 * head.interval ? silent : 0;
}

struct Table {
  TableHead head{};
  std::vector<Row> rows{};
  std::vector<Link> links{};

  friend bool operator==(const Table&, const Table&) = default;
};

inline constexpr std::uint64_t pulse_magic = 0x504F'544C'5741'5254;  // "TRAWLTOP"
inline constexpr std::uint32_t pulse_version = 2;
/// The name of that memory, as /proc/PID/fd shows it.
inline constexpr std::string_view pulse_memory = "trawl-pulses";
/// Whoever looks locks this byte for reading; as long as the run goes on, the main PE has locked
/// the other one for writing.
inline constexpr std::int64_t looking_byte = 0;
inline constexpr std::int64_t running_byte = 1;

/// For F_OFD_SETLK and F_OFD_GETLK, with one of these.
inline struct flock one_byte(short type, std::int64_t at) noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = at;
  lock.l_len = 1;
  return lock;
}

inline constexpr std::size_t pulse_prefix = 24;
inline constexpr std::size_t most_links = 64;

/// Throws BadBytes for what no PE can say.
inline void check(const Pulse& pulse) {
  const auto ends = [](const auto& name) { return name.back() == 0; };
  if (!ends(pulse.host) || !ends(pulse.cluster)) throw BadBytes("a name in it has no end");
  constexpr std::uint64_t long_time = std::uint64_t{1} << 60;
  if (pulse.time <= -max_local || pulse.time >= max_local ||
      std::max({pulse.mutator, pulse.collector, pulse.communication, pulse.idle}) >= long_time)
    throw BadBytes("its time is impossible");
  if (pulse.workers == 0 || pulse.workers > max_workers || pulse.busy > max_workers)
    throw BadBytes("its workers are impossible");
}

inline std::size_t encoded_size(std::size_t rows, std::size_t links) noexcept {
  return pulse_prefix + sizeof(TableHead) + rows * sizeof(Row) + links * sizeof(Link) +
         sizeof(std::uint64_t);
}

inline Bytes encode(const Table& table) {
  const auto& [head, rows, links] = table;
  Writer out(encoded_size(rows.size(), links.size()));
  out.put(pulse_magic);
  out.put(pulse_version);
  out.put(static_cast<std::uint32_t>(rows.size()));
  out.put(static_cast<std::uint32_t>(links.size()));
  out.put(std::uint32_t{0});
  out.put(head);
  out.raw(rows.data(), rows.size() * sizeof(Row));
  out.raw(links.data(), links.size() * sizeof(Link));
  out.put(checksum(out.view()));
  return out.take();
}

/// Throws BadBytes when this is no table, or a damaged one.
inline Table decode_table(std::span<const std::byte> bytes) {
  Reader in(bytes);
  if (bytes.size() < pulse_prefix || in.get<std::uint64_t>() != pulse_magic)
    throw BadBytes("it is no table of a run");
  const auto found = in.get<std::uint32_t>();
  if (found != pulse_version)
    throw BadBytes("it has format " + std::to_string(found) + ", this program reads format " +
                   std::to_string(pulse_version));
  const auto pes = in.get<std::uint32_t>();
  const auto links = in.get<std::uint32_t>();
  if (pes < 1 || pes > max_pes || links > most_links || bytes.size() != encoded_size(pes, links))
    throw BadBytes("it is not as long as it says");
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  if (in.get<std::uint32_t>() != 0 || sum != checksum(bytes.first(bytes.size() - sizeof sum)))
    throw BadBytes("it is damaged");
  Table table;
  in.raw(&table.head, sizeof table.head);
  table.rows.resize(pes);
  in.raw(table.rows.data(), pes * sizeof(Row));
  table.links.resize(links);
  in.raw(table.links.data(), links * sizeof(Link));
  const auto& head = table.head;
  const auto in_run = [](Nanos time) { return time >= 0 && time < max_time; };
  if (!in_run(head.time) || !in_run(head.interval) || !in_run(head.since) || head.pid <= 0 ||
      head.stage > Stage::over || head.program.back() != 0 || head.host.back() != 0)
    throw BadBytes("its head makes no sense");
  for (const auto& row : table.rows) {
    if (row.presence > Presence::left || row.heard > head.time || row.latency >= max_time ||
        !std::isfinite(row.speed) || row.speed < 0)
      throw BadBytes("a row of it makes no sense");
    if (row.has_pulse()) check(row.pulse);
  }
  for (const auto& link : table.links)
    if (link.latency >= max_time || link.bytes_a_second < 0)
      throw BadBytes("a link of it makes no sense");
  return table;
}

}  // namespace trawl::trace
