// A recording as it lies on the disk: what rts/trace writes and profiles/replay reads. It tells, in
// the order in which one worker came by, what every task did.
//
//   file   = header, then blocks
//   header   0 magic     8    file_magic
//            8 version   4    recording_version
//           12 size      4    of what follows: the program's name
//           16 name      size, at most 128
//   block    0 magic     4    block_magic
//            4 size      4    of its events in bytes, 1 to most_block
//            8 checksum  8    of its events
//           16 events    size; none lies in two blocks
//   names    as a block, of names_magic; at the end, if there are any: a name of up to 256 bytes
//            and a zero byte each, of function 1, 2, ...
//   sites    as a block, of sites_magic; behind the names, if there are any: the path of the file
//            that the program ran from and its build id, a zero byte behind each; then of site 1,
//            2, ... numbers as those of events: how many places, the places (as those of
//            trace::Kind::spark_site)
//   shared   as a block, of shared_magic; at the end, if there are any: how many bytes shared value
//            1, 2, ... has, numbers as those of events
//   end      as a block, of end_magic, the last: how many blocks there are before it, and the
//            header's checksum, 8 bytes each
//   event    0 kind      1
//            1 numbers   as many as event_numbers says, 7 bits a byte, lowest first
//
// A task is the root, a call that was spawned, or a thunk. It begins where it is evaluated, inside
// of the task that needs it; all up to its `end` is its own, and that of tasks within it. Tasks are
// numbered as they are first named, by `spawn`, `par`, `place` or `eval`, from 1 on; the root is 0.
// `back` counts from the next number: 1 is the newest task. A function is one of the names, or 0:
// unknown; a site is one of the sites, or 0.
//
// A shared value is none of a task's results, and arguments refer to it: a constant that a program
// has made a Lazy of, at least least_shared bytes. Which of them a task was given stands behind its
// beginning.
//
// All numbers of several bytes are in the byte order of the machine that wrote them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "rts/inline/bytes.hpp"

namespace trawl::trace {

/// What a task did.
enum class Did : std::uint8_t {
  work,   ///< computed [ns]
  spawn,  ///< a new task [site]
  par,    ///< a new task, a thunk that became a spark [site]
  sync,   ///< came to a spawned call, which begins [back, bytes of its arguments, function]
  force,  ///< came to a thunk that had become a spark or was placed, which begins [as sync]
  eval,   ///< came to a thunk that had not, a new task, which begins [bytes, function]
  end,    ///< the newest that began and has not ended [bytes of its result]
  refer,  ///< was given a shared value; it has done nothing yet [its number]
  place,  ///< a new task, a thunk for a certain PE [site]
  use,    ///< a placed one was given the result of another; as `refer`, behind these [back]
  keep,   ///< its result refers to what stays where it is; it ends [bytes of that]
};

inline constexpr std::array<std::uint8_t, 11> event_numbers{1, 1, 1, 3, 3, 2, 1, 1, 1, 1, 1};

namespace recording {

inline constexpr std::uint64_t file_magic = 0x4443'4552'5741'5254;  // "TRAWRECD"
inline constexpr std::uint32_t version = 6;
inline constexpr std::uint32_t block_magic = 0x6B6C'6272;   // "rblk"
inline constexpr std::uint32_t names_magic = 0x6D61'6E72;   // "rnam"
inline constexpr std::uint32_t sites_magic = 0x7469'7372;   // "rsit"
inline constexpr std::uint32_t shared_magic = 0x7268'7372;  // "rshr"
inline constexpr std::uint32_t end_magic = 0x646E'6572;     // "rend"
inline constexpr std::size_t longest_function = 256;
inline constexpr std::uint32_t most_block = 1U << 21U;
inline constexpr std::size_t header_size = 16;
inline constexpr std::size_t block_header_size = 16;
inline constexpr std::size_t longest_path = 4096;
inline constexpr std::uint16_t most_sites = 4096;
inline constexpr std::size_t most_places = 64;  ///< of a site
inline constexpr std::size_t longest_name = 128;
inline constexpr std::size_t longest_event = 31;
inline constexpr Nanos longest_work = Nanos{1} << 50U;  ///< 13 days
inline constexpr std::uint64_t most_bytes = std::uint64_t{1}
                                            << 31U;  ///< of an argument or a result
inline constexpr std::uint64_t most_tasks = std::uint64_t{1} << 28U;
/// Smaller ones are a small part of what is sent with them.
inline constexpr std::uint64_t least_shared = 512;
inline constexpr std::uint32_t most_shared = 4096;
inline constexpr std::size_t most_referred = 16;  ///< of a task's
/// Who refers to more results of placed tasks is taken to look at what they tell, not at their
/// data.
inline constexpr std::size_t most_used = 4;  ///< by a task
/// What a recording calls one piece.
inline constexpr Nanos grain = 10'000;

/// Of every byte, unlike that of event logs, which are whole words.
inline std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15;
  std::uint64_t sum = bytes.size();
  const auto add = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * factor;
    sum ^= sum >> 32U;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    add(word);
  }
  std::uint64_t last = 0;
  if (at != bytes.size()) std::memcpy(&last, bytes.data() + at, bytes.size() - at);
  add(last);
  return sum;
}

}  // namespace recording
}  // namespace trawl::trace
