#include "programs/barnes_hut/leapfrog.hpp"

#include <algorithm>
#include <cmath>

#include "programs/common/clock.hpp"
#include "programs/common/command.hpp"

namespace bh {
namespace {

// Few enough domains that fetching them is not waiting, enough that not every PE needs all.
std::size_t domain_limit(std::size_t bodies) {
  return std::clamp<std::size_t>(bodies / 8, 512, 65536);
}

// Enough units for any number of PEs, none too small to be worth a message; of whole groups.
std::size_t unit_size(std::size_t bodies, std::size_t group) {
  return std::clamp<std::size_t>(bodies / 256 / group, 4, 64) * group;
}

// Of the bodies in memory; orders drift apart slowly.
constexpr std::size_t steps_between_moves = 8;

void kick(Bodies& bodies, double dt) {
  for (auto& body : bodies) body.velocity += dt * body.acceleration;
}

void drift(Bodies& bodies, double dt) {
  for (auto& body : bodies) body.position += dt * body.velocity;
}

}  // namespace

std::vector<Mass> Decomposition::masses(const Bodies& bodies, const Piece& piece) const {
  std::vector<Mass> masses;
  masses.reserve(piece.end - piece.begin);
  for (auto i = piece.begin; i < piece.end; ++i) {
    const Body& body = bodies[order[i].place];
    const Vec p = cube.to_unit(body.position);
    masses.push_back({order[i].key, p.x, p.y, p.z, body.mass / mass});
  }
  return masses;
}

std::vector<std::uint64_t> Decomposition::first_keys() const {
  std::vector<std::uint64_t> first;
  for (const auto& piece : pieces) first.push_back(order[piece.begin].key);
  return first;
}

std::vector<Unit> Decomposition::units() const {
  const auto size = unit_size(order.size(), settings.group);
  std::vector<Unit> units;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    const auto count = pieces[i].end - pieces[i].begin;
    for (std::size_t begin = 0; begin < count; begin += size)
      units.push_back({i, static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(std::min(begin + size, count))});
  }
  return units;
}

Decomposition decompose(Bodies& bodies, const Gravity& gravity, bool moves) {
  Decomposition d;
  d.cube = cube_around(bodies);
  if (!std::isfinite(d.cube.side))
    throw programs::BadInput("the bodies have left the range of numbers; take smaller steps");
  d.order = order_along_curve(bodies, d.cube);
  if (moves) put_in_order(bodies, d.order);
  d.pieces = cut_into_domains(d.order, domain_limit(bodies.size()));
  double mass = 0;
  double largest = 0;
  for (const auto& body : bodies) {
    mass += body.mass;
    largest = std::max(largest, body.mass);
  }
  d.mass = mass > 0 ? mass : 1;
  d.settings.theta = gravity.theta;
  // Where softening is far larger than the cube, forces grow with distance alone: single precision
  // could not hold its square, and needn't.
  d.unit = std::max(d.cube.side, 1e-5 * gravity.softening);
  d.settings.softening = gravity.softening / d.unit;
  d.settings.quadrupole = gravity.quadrupole;
  d.settings.kernel = gravity.kernel;
  // A body's softened potential on itself is taken off at the end, unless it would drown the rest.
  d.settings.skip_coincident = d.settings.softening <= 4 * largest / d.mass;
  return d;
}

void compute_forces(Bodies& bodies, const Gravity& gravity, const Evaluate& evaluate,
                    Phases& phases) {
  const double begin = programs::now();
  const Decomposition d = decompose(bodies, gravity, phases.evaluations % steps_between_moves == 0);
  const double sorted = programs::now();
  const double to_potential = d.mass / d.unit;
  const double to_acceleration = to_potential / d.unit * (d.cube.side / d.unit);
  const auto take = [&](const UnitResult& result) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Force& f = result.forces[i];
      Body& body = bodies[d.order[i].place];
      body.acceleration = to_acceleration * Vec{f.x, f.y, f.z};
      body.potential = to_potential * f.potential;
      if (!d.settings.skip_coincident) body.potential += body.mass / gravity.softening;
    }
    phases.work += result.work;
  };
  const double built = evaluate(d, bodies, take);
  phases.sort += sorted - begin;
  phases.tree += built - sorted;
  phases.forces += programs::now() - built;
  ++phases.evaluations;
}

void step(Bodies& bodies, double dt, const Gravity& gravity, const Evaluate& evaluate,
          Phases& phases) {
  kick(bodies, dt / 2);
  drift(bodies, dt);
  compute_forces(bodies, gravity, evaluate, phases);
  kick(bodies, dt / 2);
}

}  // namespace bh
