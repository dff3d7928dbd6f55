// What was decided about steps of skeletons: who gets how much, and whether shards move.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::profile {

struct Decision {
  /// Shares are of the load.
  struct Part {
    std::uint32_t pe = 0;
    double before = 0;
    double after = 0;        ///< if shards move
    std::uint32_t come = 0;  ///< so many would come to it
  };

  Nanos time = 0;
  double before = 0;  ///< ns that a step was predicted to take as it was
  double after = 0;   ///< and if shards move
  double bytes = 0;   ///< that would
  bool moves = false;
  std::vector<Part> parts;
};

/// Those that were made between two of the run's times, in their order.
std::vector<Decision> find_decisions(const Run& run, Nanos from, Nanos to);

/// A line for each of the last few; nothing if there was none.
std::string decisions_table(const std::vector<Decision>& decisions);
nlohmann::json decisions_json(const std::vector<Decision>& decisions);

}  // namespace trawl::profile
