// What the tasks of a replay carry: arguments and results of as many bytes as the recorded ones,
// and thunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <trawl/dist/group.hpp>
#include <trawl/trawl.hpp>

#include "profiles/replay/checksum.hpp"
#include "profiles/replay/graph.hpp"

namespace replay {

// Up to so many bytes of arguments, and a result of one number, need no memory of their own.
using Small = std::array<std::uint64_t, 5>;
inline constexpr std::uint64_t small_arguments = sizeof(Small) + sizeof(Number);
inline constexpr std::uint64_t small_result = sizeof(std::uint64_t);

using Load = std::vector<std::uint8_t>;

inline std::uint8_t content(Number task) {
  return static_cast<std::uint8_t>(task * 37U + 1);
}
inline Small small_load(Number task) {
  Small load;
  load.fill(task + 1);
  return load;
}
inline Load load(Number task, std::uint64_t bytes) {
  return Load(bytes, content(task));
}
/// Which nothing copies on its way into a kept value.
inline Load kept_load(Number task, std::uint64_t bytes) {
  auto load = trawl::numbers<std::uint8_t>(bytes);
  if (bytes != 0) load.front() = load.back() = content(task);
  return load;
}
/// Looks at the first byte and the last.
inline std::uint64_t mix_load(std::uint64_t sum, const Load& load) {
  sum = mix(sum, load.size());
  return load.empty() ? sum : mix(sum, load.front() | static_cast<unsigned>(load.back()) << 8U);
}
inline std::uint64_t mix_expected(std::uint64_t sum, Number task, std::uint64_t bytes) {
  sum = mix(sum, bytes);
  return bytes == 0 ? sum : mix(sum, content(task) * 0x101U);
}

/// Of a value that tasks share, which a task is given or makes.
using Shared = trawl::Lazy<Load>;

/// What a shared value is made of, and so that it is not taken for a task's.
inline Number content_of(Number value) {
  return ~value;
}

struct Large;
/// A thunk that is a task: of the one kind or the other.
struct Thunk {
  trawl::Lazy<std::uint64_t> small;
  trawl::Lazy<Large> large;
  trawl::Lazy<trawl::detail::Ran> group;  ///< with which it was placed, if it was
  std::uint32_t in_group = 0;
};
/// The result of a task that is not small.
struct Large {
  std::uint64_t sum = 0;
  Load load;
  std::vector<Thunk> thunks;
  trawl::Lazy<Load> kept;

  /// Who waits for a group is told the sum as the count of a shard's elements.
  trawl::detail::Shape trawl_told() const { return {.count = sum}; }
};

}  // namespace replay
