#include "programs/barnes_hut/initial.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace bh {
namespace {

using std::numbers::pi;

// The standard's distributions differ between libraries; its engines don't.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// A vector of this length in any direction.
  Vec on_sphere(double radius) {
    const double z = uniform(-1, 1);
    const double angle = uniform(0, 2 * pi);
    const double across = std::sqrt(1 - z * z);
    return radius * Vec{across * std::cos(angle), across * std::sin(angle), z};
  }

 private:
  std::mt19937_64 engine_;
};

void centre(Bodies& bodies) {
  Vec position;
  Vec velocity;
  double mass = 0;
  for (const auto& b : bodies) {
    mass += b.mass;
    position += b.mass * b.position;
    velocity += b.mass * b.velocity;
  }
  for (auto& b : bodies) {
    b.position += (-1 / mass) * position;
    b.velocity += (-1 / mass) * velocity;
  }
}

// A body of a Plummer sphere of mass 1 and scale radius 1.
Body plummer_body(Random& random) {
  Body body;
  double radius = 0;
  do {
    radius = 1 / std::sqrt(std::pow(random.uniform(), -2.0 / 3) - 1);
  } while (radius > 20);
  body.position = random.on_sphere(radius);
  // q, the speed over that of escape, is distributed as q^2 (1 - q^2)^(7/2), less than 0.1.
  double q = 0;
  double height = 0;
  do {
    q = random.uniform();
    height = random.uniform(0, 0.1);
  } while (height > q * q * std::pow(1 - q * q, 3.5));
  body.velocity = random.on_sphere(q * std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25));
  return body;
}

// Scaled from mass 1 and radius 1.
void scale(Body& body, double mass, double radius) {
  body.position = radius * body.position;
  body.velocity = std::sqrt(mass / radius) * body.velocity;
}

// ---- a galaxy of mass 1: an exponential disk of scale length 1, and a halo -------

constexpr double disk_share = 0.15;
constexpr double halo_radius = 3;

double mass_within(double radius) {
  const double disk = disk_share * (1 - (1 + radius) * std::exp(-radius));
  const double r2 = radius * radius;
  return disk + (1 - disk_share) * std::pow(r2 / (r2 + halo_radius * halo_radius), 1.5);
}

Body disk_body(Random& random) {
  double radius = 0;
  do {
    radius = -std::log(random.uniform() * random.uniform());
  } while (radius > 6);
  const double angle = random.uniform(0, 2 * pi);
  const double speed = std::sqrt(mass_within(radius) / radius);
  Body body;
  body.position = {radius * std::cos(angle), radius * std::sin(angle), random.uniform(-0.05, 0.05)};
  // Warm enough not to fall to pieces at once.
  body.velocity =
      Vec{-speed * std::sin(angle), speed * std::cos(angle), 0} + random.on_sphere(0.3 * speed);
  return body;
}

Vec tilt(Vec v, double angle) {
  return {v.x, v.y * std::cos(angle) - v.z * std::sin(angle),
          v.y * std::sin(angle) + v.z * std::cos(angle)};
}

void add_galaxy(Bodies& bodies, std::size_t count, Random& random, double angle, Vec position,
                Vec velocity) {
  const auto disk = count / 2;
  for (std::size_t i = 0; i < count; ++i) {
    Body body;
    if (i < disk) {
      body = disk_body(random);
      body.mass = disk_share / static_cast<double>(disk);
    } else {
      body = plummer_body(random);
      scale(body, 1 - disk_share, halo_radius);
      body.mass = (1 - disk_share) / static_cast<double>(count - disk);
    }
    body.position = tilt(body.position, angle);
    body.velocity = tilt(body.velocity, angle);
    constexpr double mass = 0.5;
    constexpr double length = 0.2;
    scale(body, mass, length);
    body.mass *= disk == 0 ? mass / (1 - disk_share) : mass;
    body.position += position;
    body.velocity += velocity;
    bodies.push_back(body);
  }
}

template <class Make>
Bodies make(std::size_t count, std::uint64_t seed, Make one) {
  Random random(seed);
  Bodies bodies;
  bodies.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.push_back(one(random));
    bodies.back().mass = 1 / static_cast<double>(count);
  }
  centre(bodies);
  return bodies;
}

}  // namespace

Bodies plummer(std::size_t count, std::uint64_t seed) {
  return make(count, seed, [](Random& random) {
    Body body = plummer_body(random);
    scale(body, 1, 3 * pi / 16);
    return body;
  });
}

Bodies uniform_sphere(std::size_t count, std::uint64_t seed) {
  return make(count, seed, [](Random& random) {
    Body body;
    body.position = random.on_sphere(2.4 * std::cbrt(random.uniform()));
    return body;
  });
}

Bodies two_galaxies(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Bodies bodies;
  bodies.reserve(count);
  // Two points on a parabola: mu v^2 / 2 = mu / d, nearest to each other at 0.5.
  const double distance = 4;
  const double nearest = 0.5;
  const double speed = std::sqrt(2 / distance);
  const double across = std::sqrt(2 * nearest) / distance;
  const double inward = std::sqrt(speed * speed - across * across);
  const Vec apart{distance, 0, 0};
  const Vec moving{-inward, across, 0};
  add_galaxy(bodies, count - count / 2, random, 0.4, 0.5 * apart, 0.5 * moving);
  add_galaxy(bodies, count / 2, random, -1.0, -0.5 * apart, -0.5 * moving);
  centre(bodies);
  return bodies;
}

}  // namespace bh
