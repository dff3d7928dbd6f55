#include "programs/galaxy/stars.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace galaxy {
namespace {

// Numbers by their place: splitmix64 (Steele, Lea and Flood 2014). In [0, 1).
double number(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t z = (seed << 40U) + (place + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

std::uint64_t mixed(std::uint64_t digest, float value) {
  return (digest ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3U;  // FNV-1a, by words
}

}  // namespace

Star star(std::size_t i, std::uint64_t seed) {
  Star s;
  s.id = s.index = static_cast<std::uint32_t>(i);
  if (i == 0) {
    s.mass = hole_mass;
    return s;
  }
  // As many stars in each ring, so the middle is densest; the outer ones are four times too fast
  // for a circle round the hole alone, as all others pull them too.
  const double r = radius * number(seed, 3 * i);
  const double angle = 2 * std::numbers::pi * number(seed, 3 * i + 1);
  const double out = r / radius;
  const double speed = (1 + 3 * out * out) * std::sqrt(gravity * hole_mass / (r + 1));
  s.at = {static_cast<float>(r * std::cos(angle)), static_cast<float>(r * std::sin(angle))};
  s.speed = {static_cast<float>(-speed * std::sin(angle)),
             static_cast<float>(speed * std::cos(angle))};
  s.mass = static_cast<float>(1 + std::floor(10 * number(seed, 3 * i + 2)) / 10);
  return s;
}

std::string summary(const std::vector<Star>& stars) {
  double kinetic = 0;
  double angular = 0;
  double mass = 0;
  double distance = 0;
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const auto& s : stars) {
    const double x = s.at.x;
    const double y = s.at.y;
    const double vx = s.speed.x;
    const double vy = s.speed.y;
    mass += s.mass;
    kinetic += 0.5 * s.mass * (vx * vx + vy * vy);
    angular += s.mass * (x * vy - y * vx);
    distance += s.mass * std::hypot(x, y);
    for (const float value : {s.at.x, s.at.y, s.speed.x, s.speed.y}) digest = mixed(digest, value);
  }
  return fmt::format(
      "{} stars: kinetic energy {:.6e}, angular momentum {:.6e}, mean distance {:.4f}, "
      "digest {:016x}",
      stars.size(), kinetic, angular, distance / mass, digest);
}

}  // namespace galaxy
