// Writing the event log of one PE.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"
#include "rts/trace/sites.hpp"

namespace trawl::trace {

/// What a log is opened with.
struct Setup {
  std::string dir;  ///< created if missing; all PEs of a run write into the same
  int pe = 0;
  int pes = 1;
  int workers = 1;
  int thread_limit = 1024;
  double speed = 1;  ///< relative to the other PEs, more than 0
  std::string program, cluster, host;
  std::string file, build;                    ///< see Header
  std::size_t buffer = std::size_t{1} << 20;  ///< bytes of memory; rounded into 4 KiB to 16 MiB
  std::function<Nanos()> clock;               ///< the PE's clock; empty: std::chrono::steady_clock
};

/// The log of one PE, DIR/pe-NNNN.trawl, shared by its workers. Any thread may call anything but
/// the destructor.
class Log {
 public:
  /// Starts the file afresh; PE 0 also removes logs that an earlier run with more PEs left there.
  /// Throws Error when the directory can't be used.
  explicit Log(const Setup& setup);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { close(); }

  /// Appends an event that happened now. Never fails: see `trouble`.
  void event(Kind kind, unsigned worker, std::uint32_t value = 0, std::uint16_t extra = 0,
             std::uint32_t id = 0, std::uint32_t size = 0) noexcept;
  /// Appends where sparks of a code are made (Kind::spark_site).
  void site(unsigned worker, std::uint32_t code, StackPlaces stack) noexcept;
  /// Appends a message that was sent to `pe`, or has come from it. Both ends give it the same
  /// number: messages of one kind and of similar size don't overtake each other.
  void message(Kind kind, int pe, std::uint16_t what, std::size_t size) noexcept;

  /// What is to be added to this PE's clock to get the nanoseconds since the run's start on the
  /// main PE's clock. Also holds for the events before. Until then the log's opening counts as the
  /// start. `run`: that, by the main PE's clock. `joins`: this PE takes part from now on.
  void set_offset(Nanos offset, Nanos run = 0, bool joins = false) noexcept;

  /// By how much that has changed since: added to the times of events from now on.
  void set_drift(Nanos drift) noexcept;

  /// Writes what is buffered: so much can be read if this PE is killed.
  void save() noexcept;

  /// Writes what is buffered and marks the log as whole. Events that come later are dropped. `pes`:
  /// so many have ever been there, of all that might have come; 0: not known.
  void close(int pes = 0) noexcept;

  /// Why the log ends early (a full disk, say), in one line; empty while all is well.
  std::string trouble() const;

 private:
  Nanos now() const {
    if (clock_) return clock_() + drift_;
    return drift_ + std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count();
  }
  void append(const Event& event) noexcept;
  std::uint32_t next_number(Kind kind, int pe, std::uint16_t what, std::size_t size);
  void flush() noexcept;
  void stop(int error) noexcept;
  int write_header() noexcept;
  int write_at(std::size_t at, const void* data, std::size_t size) noexcept;

  mutable std::mutex mutex_;
  std::function<Nanos()> clock_;
  std::string path_;
  Header header_;
  int file_ = -1;
  int error_ = 0;                  // errno of the write that failed
  std::size_t end_ = header_size;  // where the next block goes
  Nanos drift_ = 0;
  Nanos last_ = 0;             // time of the last event
  std::size_t fill_;           // used entries of buffer_
  std::vector<Event> buffer_;  // its first two entries end with the Block
  // Messages so far, by direction, PE, kind and size.
  std::mutex numbers_lock_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// What call sites use: `log` is null when the log is off.
inline void note(Log* log, Kind kind, unsigned worker, std::uint32_t value = 0,
                 std::uint16_t extra = 0, std::uint32_t id = 0, std::uint32_t size = 0) noexcept {
  if (log != nullptr) [[unlikely]]
    log->event(kind, worker, value, extra, id, size);
}

}  // namespace trawl::trace
