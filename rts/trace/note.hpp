// Events that are both counted and written into the log.
#pragma once

#include "rts/trace/log.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::trace {

/// What the log calls what is counted.
constexpr Kind kind_of(Count what) {
  switch (what) {
    case Count::sparks_converted:
      return Kind::spark_convert;
    case Count::threads_created:
      return Kind::thread_start;
    case Count::threads_blocked:
      return Kind::thread_block;
    case Count::fish_sent:
      return Kind::fish_sent;
    case Count::fish_forwarded:
      return Kind::fish_forward;
    case Count::fish_home_empty:
      return Kind::fish_home;
    case Count::fetch_sent:
      return Kind::fetch_sent;
    default:
      throw "is only counted";
  }
}

/// Counts it and notes it; `log` is null when the log is off.
template <Count what>
void note(Counters& counters, Log* log, unsigned worker, std::uint32_t value = 0,
          std::uint16_t extra = 0, std::uint32_t id = 0, std::uint32_t size = 0) noexcept {
  constexpr Kind kind = kind_of(what);
  counters.add(what);
  note(log, kind, worker, value, extra, id, size);
}

}  // namespace trawl::trace
