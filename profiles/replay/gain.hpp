// How much work can be given to others, if each byte that this takes has its price.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "profiles/replay/graph.hpp"

namespace replay {

/// By price, in seconds of work a byte: the most that work (in seconds) less price * bytes can be,
/// of all choices of tasks of which none is under another. A chosen task is given away with all
/// that is under it. Never less than 0: nothing need be given.
using Gains = std::vector<double>;
using GainsOf = std::function<Gains(std::span<const double> prices)>;

/// Which bytes: under a task are those that it begins, and its arguments are sent; or those that it
/// needs, and its result is.
enum class Sent : std::uint8_t { arguments, results };

/// Only what others are offered is given away. Reads the graph once for each price.
Gains gains(const Graph& graph, Sent sent, std::span<const double> prices);

}  // namespace replay
