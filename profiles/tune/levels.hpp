// Which flags are tried, at which levels; and how PEs may be laid on a grid's hosts.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "profiles/tune/replays.hpp"
#include "profiles/tune/space.hpp"

namespace tune {

/// The name of the factor that is no flag: how many PEs a host has, each with its share of workers.
inline constexpr const char* pes_a_host = "PEs a host";

/// Flags of the runtime, but those that `fixed` words have set.
Space flags_to_try(const Words& fixed);

/// The same grid with each PE a host: of so many PEs, its workers divided among them.
/// "each core": as many as it has workers.
struct Layout {
  std::string name;  ///< "1", "2", "each core"
  nlohmann::json grid;
};

/// The first is the grid as it is; the only one, if PEs have one worker each.
std::vector<Layout> layouts(const nlohmann::json& grid);

/// Those levels that are not the default, as flags.
Words words_of(const Space& space, const Setting& setting);

}  // namespace tune
