// Bodies in files, as a whole: plain text, CSV, Tipsy. (In shards: shards.hpp.)
#pragma once

#include <cstdint>
#include <string>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

/// By the name's end: .tipsy and .std, .csv, else text.
enum class Format : std::uint8_t { text, csv, tipsy };
Format format_of(const std::string& file);

/// Reads a file. *.tipsy and *.std are Tipsy's binary format, of either byte order, all kinds of
/// its particles alike; all else is text, a line a body: mass x y z vx vy vz, separated by blanks
/// or commas; # begins a comment, `# time T` gives the time. A first line that names the columns is
/// passed over. Throws programs::BadInput, `FILE:LINE: cause`.
Snapshot read_bodies(const std::string& file);

/// Some of `count` bodies, in the order of their places; the head stands before body 0.
std::string written(const Bodies& bodies, Format format, std::uint64_t count, double time);

/// Writes them all. Numbers in text read back to the same bits. Throws programs::BadInput.
void write_bodies(const std::string& file, const Snapshot& snapshot);

}  // namespace bh
