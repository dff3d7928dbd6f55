// Messages of which both ends are in the logs: how long they were on their way, between whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::profile {

struct Message {
  Nanos length() const { return end - begin; }

  Nanos begin = 0, end = 0;
  int from = 0, to = 0;
  std::uint32_t bytes = 0;
  std::uint16_t kind = 0;
};

/// Those from one cluster to another, or within one; times in ns.
struct Link {
  static constexpr std::size_t parts = 100;  ///< of the time
  struct Part {
    std::uint64_t number = 0;
    double sum = 0;
  };

  std::string from, to;
  std::uint64_t number = 0;  ///< all that were sent
  std::uint64_t bytes = 0;   ///< in them
  double median = 0;         ///< of those that were looked at
  double slow = 0;           ///< one of a hundred takes longer
  std::vector<Part> over_time;
};

struct Messages {
  std::vector<Link> links;     ///< those with the most messages; `most_links` at most
  std::vector<Message> drawn;  ///< the longest under way of each part of the time
  std::uint64_t seen = 0;      ///< messages that were sent
  std::uint64_t looked_at = 0;
  std::uint64_t back_in_time = 0;  ///< of these, arrived before they were sent: clocks differ
};

inline constexpr std::size_t most_links = 24;

/// Between two of the run's times. Of more than a million messages some are looked at.
Messages measure_messages(const Run& run, Nanos from, Nanos to);

}  // namespace trawl::profile
