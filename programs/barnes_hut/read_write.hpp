// Bodies in files: plain text, CSV, Tipsy.
#pragma once

#include <string>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

struct Snapshot {
  Bodies bodies;
  double time = 0;  ///< CSV has none
};

/// Reads a file. *.tipsy and *.std are Tipsy's binary format, of either byte order, all kinds of
/// its particles alike; all else is text, a line a body: mass x y z vx vy vz, separated by blanks
/// or commas; # begins a comment, `# time T` gives the time. A first line that names the columns is
/// passed over. Throws programs::BadInput, `FILE:LINE: cause`.
Snapshot read_bodies(const std::string& file);

/// Writes by the name's end: .tipsy and .std (big endian, dark matter, single precision), .csv,
/// else text. Numbers in text read back to the same bits. Throws programs::BadInput.
void write_bodies(const std::string& file, const Snapshot& snapshot);

}  // namespace bh
