// The forces on all bodies: what lines 4 and 5 of the loop do to a shard, and what a place needs of
// the trees of others before.
#pragma once

#include <cstdint>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/barnes_hut/kernels.hpp"
#include "programs/barnes_hut/units.hpp"

namespace bh {

/// The octree of all bodies: its crown, and by reference what is inside of each shard, which stays
/// with its owner.
struct Tree {
  Crown crown;
  std::vector<trawl::Lazy<Image>> images;
  std::vector<std::uint32_t> firsts;  ///< Body::place of the first body of each image
};

/// Of one shard.
Tree build_tree(const Bodies& shard, const Bounds& bounds, const Gravity& gravity);
/// The one's bodies are before the other's on the curve.
Tree merge(const Tree& a, const Tree& b);

/// The locally essential tree of a place: the top, all that is below it of the shards that lie
/// here, and what walks from here may open of the others.
struct LocalTree {
  Top top;  ///< its domains with an index as of `own`, `others`
  std::vector<trawl::Lazy<Image>> own;
  std::vector<std::uint32_t> firsts;  ///< as of `own`
  std::vector<trawl::Lazy<std::vector<Selection>>> others;
};

/// Boxes, not more than so many, that cover the groups of bodies which walk together.
std::vector<Box> cover(const trawl::Portion<Body>& own, std::uint32_t boxes);
/// What is in the trees of these shards for who has his bodies in those boxes.
std::vector<Selection> select_for(const trawl::Portion<Body>& own, const std::vector<Box>& boxes,
                                  const Tree& tree, const Bounds& bounds, const Gravity& gravity);
LocalTree assemble(const trawl::Portion<Body>& own,
                   const std::vector<trawl::Lazy<std::vector<Selection>>>& others, const Tree& tree,
                   const Bounds& bounds, const Gravity& gravity);

/// The bodies with accelerations and potentials; then they are kicked by `kick`.
Bodies interact(const Bodies& shard, const LocalTree& tree, const Bounds& bounds,
                const Gravity& gravity, double kick);

}  // namespace bh
