#include "programs/barnes_hut/initial.hpp"

#include <cmath>
#include <numbers>

namespace bh {
namespace {

using std::numbers::pi;

// Random numbers of one body: by its seed and its number alone, so whoever makes a body makes the
// same. (Steele, Lea and Flood 2014: SplitMix64.)
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t body) : state_(mixed(seed) + mixed(~body)) {}

  /// In (0, 1).
  double uniform() {
    state_ += step;
    return (static_cast<double>(mixed(state_) >> 11U) + 0.5) * 0x1p-53;
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// A vector of this length in any direction.
  Vec on_sphere(double radius) {
    const double z = uniform(-1, 1);
    const double angle = uniform(0, 2 * pi);
    const double across = std::sqrt(1 - z * z);
    return radius * Vec{across * std::cos(angle), across * std::sin(angle), z};
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;
  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
    return bits ^ bits >> 31U;
  }

  std::uint64_t state_;
};

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

// Body `i` of a galaxy of `count`.
Body galaxy_body(std::size_t i, std::size_t count, Random& random) {
  const auto disk = count / 2;
  constexpr double length = 0.2;
  Body body;
  if (i < disk) {
    body = disk_body(random);
    body.mass = disk_share / static_cast<double>(disk);
  } else {
    body = plummer_body(random);
    scale(body, 1 - disk_share, halo_radius);
    body.mass = (disk == 0 ? 1 : 1 - disk_share) / static_cast<double>(count - disk);
  }
  scale(body, 0.5, length);
  body.mass *= 0.5;
  return body;
}

void turn(Body& body, double angle) {
  body.position = tilt(body.position, angle);
  body.velocity = tilt(body.velocity, angle);
}

Body numbered(Body body, std::size_t i) {
  body.place = static_cast<std::uint32_t>(i);
  return body;
}

}  // namespace

Body plummer(std::size_t i, std::size_t count, std::uint64_t seed) {
  Random random(seed, i);
  Body body = plummer_body(random);
  scale(body, 1, 3 * pi / 16);
  body.mass = 1 / static_cast<double>(count);
  return numbered(body, i);
}

Body uniform_sphere(std::size_t i, std::size_t count, std::uint64_t seed) {
  Random random(seed, i);
  Body body;
  body.position = random.on_sphere(2.4 * std::cbrt(random.uniform()));
  body.mass = 1 / static_cast<double>(count);
  return numbered(body, i);
}

Body two_galaxies(std::size_t i, std::size_t count, std::uint64_t seed) {
  Random random(seed, i);
  // Two points on a parabola: mu v^2 / 2 = mu / d, nearest to each other at 0.5.
  const double distance = 4;
  const double nearest = 0.5;
  const double speed = std::sqrt(2 / distance);
  const double across = std::sqrt(2 * nearest) / distance;
  const double inward = std::sqrt(speed * speed - across * across);
  const auto first = count - count / 2;
  const bool other = i >= first;
  Body body = other ? galaxy_body(i - first, count / 2, random) : galaxy_body(i, first, random);
  turn(body, other ? -1.0 : 0.4);
  body.position += (other ? -0.5 : 0.5) * Vec{distance, 0, 0};
  body.velocity += (other ? -0.5 : 0.5) * Vec{-inward, across, 0};
  return numbered(body, i);
}

Drift drift_of(const Body& body) {
  return {body.mass, body.mass * body.position, body.mass * body.velocity};
}

Drift together(const Drift& a, const Drift& b) {
  return {a.mass + b.mass, a.position + b.position, a.velocity + b.velocity};
}

Body at_rest(Body body, const Drift& all) {
  body.position += (-1 / all.mass) * all.position;
  body.velocity += (-1 / all.mass) * all.velocity;
  return body;
}

}  // namespace bh
