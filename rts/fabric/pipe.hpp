// Short messages from one PE to another of the same host, through memory that both see: a look
// costs two loads, a message two or three cache lines. What it costs through MPI is in README.md.
//
// A ring of cache lines. A message is a record of whole lines that begins with its length; the
// length is written last, and is what tells the reader that the record is there. Where a record
// doesn't fit before the end it lies at the beginning, and a mark in the place of its length,
// written even later, says so. The reader clears the first word of every line that it has read: a
// record may begin at any of them the next time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rts/inline/bytes.hpp"

namespace trawl::fabric {

/// What both ends see. Zeros are an empty pipe.
class alignas(64) Pipe {
 public:
  static constexpr std::size_t line = 64;

  /// The memory of a pipe of `lines`, itself included.
  static constexpr std::size_t size(std::size_t lines) noexcept { return (lines + 1) * line; }

 private:
  friend class PipeWriter;
  friend class PipeReader;

  std::atomic_ref<std::uint32_t> length(std::size_t at) noexcept;
  std::byte* content(std::size_t at) noexcept;

  std::atomic<std::uint64_t> lines_read_;
};

/// The sender's end. One thread at a time.
class PipeWriter {
 public:
  PipeWriter(Pipe& pipe, std::size_t lines) noexcept : pipe_(&pipe), lines_(lines) {}

  /// The longest message that a pipe of so many lines takes: a quarter of it, in bytes.
  static constexpr std::size_t limit(std::size_t lines) noexcept {
    return lines / 4 * Pipe::line - sizeof(std::uint32_t);
  }

  /// False: there is no room, or it is empty, or longer than the limit.
  bool write(std::span<const std::byte> message) noexcept;

 private:
  bool has_room(std::size_t lines) noexcept;

  Pipe* pipe_;
  std::size_t lines_;
  std::size_t at_ = 0;           // the next line
  std::uint64_t written_ = 0;    // lines
  std::uint64_t read_seen_ = 0;  // lines; the reader may have read more since
};

/// The receiver's end. One thread at a time, but anybody may ask whether it is empty.
class PipeReader {
 public:
  PipeReader(Pipe& pipe, std::size_t lines) noexcept : pipe_(&pipe), lines_(lines) {}

  bool empty() const noexcept;
  /// The next message, if one has come; it stays in the pipe until the next call. Throws BadBytes
  /// if what is there can't be one; from then on there is none.
  std::optional<std::span<const std::byte>> read();

 private:
  void let_go() noexcept;
  void clear(std::size_t at, std::size_t lines) noexcept;

  Pipe* pipe_;
  std::size_t lines_;
  std::atomic<std::size_t> at_{0};  // the next line
  std::uint64_t taken_ = 0;         // lines; those of the last message are still in use
  std::size_t last_at_ = 0;
  std::size_t last_lines_ = 0;  // 0: there is none
};

}  // namespace trawl::fabric
