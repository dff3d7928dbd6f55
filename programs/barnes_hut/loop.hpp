// The loop over time: leapfrog, kick-drift-kick, in skeletons (Alt, Mueller and Gorlatch, section
// 3.1). What they do to a shard is in the other files; here is all that is parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/barnes_hut/forces.hpp"
#include "programs/barnes_hut/phases.hpp"
#include "programs/barnes_hut/units.hpp"
#include "programs/common/bad_input.hpp"

namespace bh {

/// What there is to do.
struct Motion {
  Gravity gravity;
  std::size_t steps = 0;
  double dt = 0;
  std::uint32_t boxes = 32;  ///< by so many a place tells others where its bodies are
  bool goes_on = false;      ///< from where an earlier run has got to: bodies have their forces
};

inline Body with_key(Body body, const Bounds& bounds) {
  body.key = hilbert_key(cube_around(bounds).to_unit(body.position));
  return body;
}

inline Body update(Body body, double dt) {
  body.velocity += dt / 2 * body.acceleration;
  body.position += dt * body.velocity;
  return body;
}

// ---- in parallel -------------------------------------------------------------------------------

/// One step's accelerations; the other half of the last kick with them.
template <class Bodies>
Bodies with_forces(Bodies bodies, const Motion& motion, double kick, Stopwatch& watch) {
  const Gravity& gravity = motion.gravity;
  const auto bounds = trawl::reduce<bounds_of, join>(bodies);
  bodies = trawl::map<with_key>(bodies, bounds);
  bodies = trawl::sort<&Body::key>(bodies, trawl::by<&Body::work>);
  watch.end(&Phases::sort, bodies);
  const auto tree = trawl::reduce<build_tree, merge>(bodies, bounds, gravity);
  watch.end(&Phases::tree, tree);
  const auto local =
      trawl::essential<cover, select_for, assemble>(bodies, motion.boxes, tree, bounds, gravity);
  bodies = trawl::map_shards<interact>(bodies, local, bounds, gravity, kick);
  watch.end(&Phases::forces, bodies);
  return bodies;
}

/// `bodies` are a trawl::Dist or, sequentially, a trawl::Sequence. Before each step and after the
/// last, `see(step, bodies)` is shown them with their accelerations. With `phases`, each is waited
/// for and timed. Throws programs::BadInput where they have left the range of numbers.
template <class Bodies, class See>
Bodies evolve(Bodies bodies, const Motion& motion, See see, Phases* phases = nullptr) {
  Stopwatch watch(phases);
  try {
    for (std::size_t s = 0;; ++s) {
      if (s != 0 || !motion.goes_on)
        bodies = with_forces(std::move(bodies), motion, s == 0 ? 0 : motion.dt / 2, watch);
      see(s, bodies);
      watch.begin();
      if (s == motion.steps) return bodies;
      bodies =
          trawl::rebalance(bodies, static_cast<double>(motion.steps - s), trawl::by<&Body::work>);
      bodies = trawl::map<update>(bodies, motion.dt);
      watch.end(&Phases::motion, bodies);
    }
  } catch (const trawl::ElementError& e) {  // it may be noticed steps later
    if (std::string_view(e.what()).find(left_range) == std::string_view::npos) throw;
    throw programs::BadInput(left_range);
  }
}

}  // namespace bh
