// Bodies that come from files, and go there, shard by shard: no PE sees all of them.
#pragma once

#include <string>

#include <trawl/dist.hpp>

#include "programs/barnes_hut/read_write.hpp"

namespace bh {

struct Shards {
  trawl::Dist<Body> bodies;
  double time = 0;
};

/// As `read_bodies`. All PEs have to see the file; what is no regular file (a pipe) the main PE
/// reads.
Shards read_shards(const std::string& file);

/// As `write_bodies`, each shard from where it lies; the bodies are in the order of their places.
void write_shards(const std::string& file, const Shards& shards);

}  // namespace bh
