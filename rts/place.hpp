// Where this PE is: its host, its share of the cores, its speed.
#pragma once

#include <string>

namespace trawl {

/// Cores that this process may use.
int usable_cores();

std::string host_name();

/// How fast this core computes, in arbitrary units: millions of rounds of a small integer loop a
/// second of processor time. Takes some milliseconds.
double measure_speed();

}  // namespace trawl
