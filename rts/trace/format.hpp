// The event log as it lies on the disk: what rts/trace writes and profiles/ reads.
//
//   file  = header (1024 bytes, rewritten in place at close), then blocks
//   block = Block (32 bytes), then its events (24 bytes each), in the order of their times
//
// All numbers are in the byte order of the machine that wrote them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "rts/inline/bytes.hpp"

namespace trawl::trace {

/// What happened. The meaning of an event's numbers is in brackets; those that are not given are 0.
/// A thread's number is its own on its PE, until 2^32 have been. Names follow in `kind_names`.
enum class Kind : std::uint8_t {
  thread_start,   ///< a new thread is runnable [value: its number]
  thread_run,     ///< the worker switched a runnable thread in [value: its number, size: the place
                  ///< in the worker's spark pool where its first spark would lie]
  thread_block,   ///< it switched its thread out, blocked [value: its number, extra: 1 if what it
                  ///< waits for comes from elsewhere, id: the code of that, size: sparks that it
                  ///< has made since it was switched in]
  thread_resume,  ///< a blocked thread is runnable again [value: its number, extra: its Giver, id:
                  ///< the giver's number if that is a thread]
  thread_end,     ///< the worker's thread is finished [value: its number, size: as thread_block's]
  spark_convert,  ///< a spark becomes a thread, which starts next [value: its code, or the code of
                  ///< what it only sees to (heap::logged_code), extra: 1 if it came from another
                  ///< PE, id: the thread's number, size: spark_import's id, or its Place, if
                  ///< known]
  spark_export,   ///< one spark left [value: to PE, extra: the number of the FISH, id: its code,
                  ///< size: its Place, if known]
  spark_import,   ///< one spark arrived [value: from PE, extra: the number of our FISH if this is
                  ///< its answer, else 0, id: its name_of_import]
  message_sent,   ///< any message [value: to PE, extra: the message's kind, id: its number, size:
                  ///< its bytes]
  message_received,  ///< any message [value: from PE, extra, id, size: as when it was sent]
  fish_sent,         ///< a FISH of our own [value: to PE, extra: its number, id: the sparks which
                     ///< that PE is believed to have]
  fish_home,         ///< a FISH of our own came home without work [extra: its number]
  fish_forward,      ///< somebody else's FISH went on [value: to PE, extra: its number, id: whose]
  fetch_sent,        ///< [value: to PE]
  resume_received,   ///< [value: from PE, id: the code of what was asked for, or `unknown_code`,
                     ///< size: bytes]
  gc_begin,          ///< a collection: no thread of this PE runs until gc_end
  gc_end,
  idle_begin,  ///< the worker has found nothing to run
  idle_end,
  load,     ///< now and then [value: sparks in the pool, extra: runnable threads, at most 65535]
  balance,  ///< it was decided whether shards move [value: KiB that would, extra: 1 if they do, id:
            ///< us that a step is predicted to take as it is, size: and if they move]
  balance_share,   ///< follows for each PE [value: PE, extra: thousandths of the load if they move,
                   ///< id: and as it is, size: shards that come to it]
  pe_lost,         ///< a PE is dead, as the main PE has decided [value: PE]
  pe_left,         ///< a PE has left [value: PE]
  pe_joined,       ///< a PE has come [value: PE]
  spark_site,      ///< sparks are made here: a call on the stack of who has made one, the innermost
                   ///< first [value: the spark's code, extra: how many of the same stack follow,
                   ///< id: a place in the file that the PE runs, see Header::build]
  spark_made,      ///< so many of the sparks of a thread that blocks or ends were of this function,
                   ///< about [value: its code, extra: 1 if they are calls (spawn), id and size:
                   ///< their number, its lower half first]
  spark_again,     ///< what a slow PE has is to be evaluated once more [value: its code]
  sparks_ignored,  ///< so many more of a worker's found no room in its pool [value]
  note,            ///< whatever the writer wants to find again
};

inline constexpr std::array<std::string_view, 30> kind_names{
    "thread_start",  "thread_run",    "thread_block", "thread_resume",  "thread_end",
    "spark_convert", "spark_export",  "spark_import", "message_sent",   "message_received",
    "fish_sent",     "fish_home",     "fish_forward", "fetch_sent",     "resume_received",
    "gc_begin",      "gc_end",        "idle_begin",   "idle_end",       "load",
    "balance",       "balance_share", "pe_lost",      "pe_left",        "pe_joined",
    "spark_site",    "spark_made",    "spark_again",  "sparks_ignored", "note"};
static_assert(kind_names.size() == static_cast<std::size_t>(Kind::note) + 1);

/// From whom a thread has got what it waited for.
enum class Giver : std::uint8_t {
  message,  ///< another PE, by the last RESUME, SCHEDULE or WRITE before; or it is lost with a PE
  thread,   ///< a thread of its PE
  outside,  ///< a call outside of the run (trawl::blocking)
};

/// Where a spark lay: in the pool of which worker of its PE, and at which place, counted from the
/// pool's beginning. Its maker is mostly the thread that this worker ran last of those that began
/// at no higher a place (profiles/report/README.md).
struct PoolPlace {
  static constexpr unsigned place_bits = 23;
  static constexpr std::uint32_t most = (std::uint32_t{1} << place_bits) - 1;

  std::uint32_t worker, place;

  /// Never 0, which stands for what is not known.
  std::uint32_t packed() const noexcept {
    return (worker + 1) << place_bits | std::min(place, most);
  }
  /// `packed` is not 0.
  static PoolPlace unpacked(std::uint32_t packed) noexcept {
    return {(packed >> place_bits) - 1, packed & most};
  }
};

inline constexpr std::uint32_t unknown_code = ~std::uint32_t{0};

/// Tells sparks that have come to a PE and wait there from each other: by the PE and the slot that
/// their values go to.
constexpr std::uint32_t name_of_import(std::uint32_t pe, std::uint64_t slot) noexcept {
  return static_cast<std::uint32_t>(slot << 10U) ^ pe;
}

struct Event {
  /// By the writer's clock, corrected for its drift; plus Header::offset it is the run's time.
  Nanos time;
  std::uint32_t value;
  std::uint16_t extra;
  Kind kind;
  std::uint8_t worker;
  std::uint32_t id = 0;
  std::uint32_t size = 0;
};
static_assert(sizeof(Event) == 24);

/// Precedes the events of one flush of the buffer.
struct Block {
  std::uint64_t magic;     ///< `block_magic`
  std::uint32_t count;     ///< events, 1 to `block_events`
  std::uint32_t checksum;  ///< of this block with 0 in place of its checksum
  Nanos first, last;       ///< times of its first and last event
};
static_assert(sizeof(Block) == 32);

/// As an event's time it would be negative, which none is: a block is found again behind damage.
inline constexpr std::uint64_t block_magic = 0xF15B'B10C'7EA3'E701;
inline constexpr std::uint32_t block_events = 1U << 20;

inline constexpr std::uint64_t file_magic = 0x474F'4C4C'5741'5254;  // "TRAWLLOG"
inline constexpr std::uint32_t version = 12;
inline constexpr std::size_t header_size = 1024;
inline constexpr std::size_t longest_path = 320;  ///< of a header's file
inline constexpr int max_pes = 1 << 20;
inline constexpr int max_workers = 256;
inline constexpr Nanos max_local = Nanos{1}
                                   << 61;  ///< bounds clocks and offsets: sums can't overflow
inline constexpr Nanos max_time = Nanos{1} << 55;  ///< a run is shorter than a year

/// How a log ended: `open` is a run that goes on or was killed, `truncated` one whose disk was
/// full.
enum class State : std::uint32_t { open, closed, truncated };

struct Header {
  int pe = 0;
  int pes = 1;
  int workers = 1;
  int thread_limit = 1;  ///< so many threads live at most, of all workers
  State state = State::open;
  bool joined = false;  ///< it came when the run went on already
  double speed = 1;     ///< relative to the other PEs
  Nanos start = 0;      ///< when the log was opened, or its PE joined, by its own clock
  Nanos end = 0;        ///< when it was closed or cut off, by the PE's own clock; 0 while open
  Nanos offset = 0;  ///< add it to a time to get nanoseconds since the run's start on the main PE
  Nanos run = 0;  ///< the run's start by the main PE's clock, which tells it from others; 0: never
  std::string program, cluster, host;
  std::string file;   ///< that the PE runs, an absolute path; empty: not known
  std::string build;  ///< that file's build id, see rts/host/executable.hpp
};

inline constexpr std::uint64_t checksum_factor = 0x9E37'79B9'7F4A'7C15;

/// Any change within one 8-byte word of `bytes` changes the result. Chained by `seed`.
inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept {
  std::uint64_t sum = seed;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    sum = (sum ^ word) * checksum_factor;
    sum ^= sum >> 32;
  }
  return sum;
}

/// What Block::checksum should be; `events` are the bytes behind the block.
inline std::uint32_t checksum(Block block, std::span<const std::byte> events) noexcept {
  block.checksum = 0;
  const auto sum = checksum(events, checksum(std::as_bytes(std::span(&block, 1))));
  return static_cast<std::uint32_t>(sum * checksum_factor >> 32);
}

/// No memory is taken by `new`: it is called where no collection may begin.
inline Bytes encode(const Header& header) {
  Writer out;
  out.put(file_magic);
  out.put(version);
  out.put(static_cast<std::int32_t>(header.pe));
  out.put(static_cast<std::int32_t>(header.pes));
  out.put(static_cast<std::int32_t>(header.workers));
  out.put(static_cast<std::int32_t>(header.thread_limit));
  out.put(static_cast<std::uint32_t>(header.state));
  out.put(std::uint32_t{header.joined});
  out.put(header.speed);
  out.put(header.start);
  out.put(header.end);
  out.put(header.offset);
  out.put(header.run);
  for (const std::string* text : {&header.program, &header.cluster, &header.host, &header.build})
    out.put_string(std::string_view(*text).substr(0, 128));
  const bool fits = header.file.size() <= longest_path;
  out.put_string(fits ? std::string_view(header.file) : std::string_view());
  auto bytes = out.take();
  bytes.resize(header_size - sizeof(std::uint64_t), std::byte{0});
  const auto sum = checksum(bytes);
  bytes.resize(header_size);
  std::memcpy(bytes.data() + header_size - sizeof sum, &sum, sizeof sum);
  return bytes;
}

/// Throws BadBytes when this is no header, or a damaged one.
inline Header decode(std::span<const std::byte> bytes) {
  Reader in(bytes);
  if (bytes.size() < header_size) throw BadBytes("it ends inside its header");
  if (in.get<std::uint64_t>() != file_magic) throw BadBytes("it is not an event log");
  const auto found = in.get<std::uint32_t>();
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data() + header_size - sizeof sum, sizeof sum);
  const bool intact = sum == checksum(bytes.first(header_size - sizeof sum));
  if (!intact) throw BadBytes("its header is damaged");
  if (found != version)
    throw BadBytes("it has format " + std::to_string(found) + ", this program reads format " +
                   std::to_string(version));
  Header header;
  header.pe = in.get<std::int32_t>();
  header.pes = in.get<std::int32_t>();
  header.workers = in.get<std::int32_t>();
  header.thread_limit = in.get<std::int32_t>();
  const auto state = in.get<std::uint32_t>();
  header.state = static_cast<State>(state);
  const auto joined = in.get<std::uint32_t>();
  header.joined = joined == 1;
  header.speed = in.get<double>();
  header.start = in.get<Nanos>();
  header.end = in.get<Nanos>();
  header.offset = in.get<Nanos>();
  header.run = in.get<Nanos>();
  for (std::string* text :
       {&header.program, &header.cluster, &header.host, &header.build, &header.file})
    *text = in.get_string();
  const auto local = [](Nanos time) { return time >= 0 && time < max_local; };
  if (header.pes < 1 || header.pes > max_pes || header.pe < 0 || header.pe >= header.pes ||
      header.workers < 1 || header.workers > max_workers || header.thread_limit < 1 || state > 2 ||
      joined > 1 || !std::isfinite(header.speed) || header.speed <= 0 || !local(header.start) ||
      !local(header.end) || header.offset <= -max_local || header.offset >= max_local)
    throw BadBytes("its header makes no sense");
  return header;
}

/// The name of a PE's log within its directory: pe-0007.trawl.
inline std::string file_name(int pe) {
  char name[32];
  std::snprintf(name, sizeof name, "pe-%04d.trawl", pe);
  return name;
}

/// The PE of such a name, or -1.
inline int pe_of(std::string_view name) {
  if (!name.starts_with("pe-") || !name.ends_with(".trawl")) return -1;
  const auto digits = name.substr(3, name.size() - 9);
  if (digits.size() < 4 || digits.size() > 7) return -1;
  int pe = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    pe = pe * 10 + (digit - '0');
  }
  return file_name(pe) == name ? pe : -1;
}

}  // namespace trawl::trace
