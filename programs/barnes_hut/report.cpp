#include "programs/barnes_hut/report.hpp"

#include <algorithm>
#include <cmath>

namespace bh {
namespace {

Vec direct(std::span<const Body> bodies, const Body& target, double softening) {
  Vec sum;
  for (const auto& body : bodies) {
    const Vec d = body.position - target.position;
    const double r2 = dot(d, d);
    if (r2 == 0) continue;
    const double inverse = 1 / std::sqrt(r2 + softening * softening);
    sum += (body.mass * inverse * inverse * inverse) * d;
  }
  return sum;
}

}  // namespace

Balance balance_of(const Body& b) {
  return {0.5 * b.mass * dot(b.velocity, b.velocity), 0.5 * b.mass * b.potential,
          b.mass * b.velocity, b.mass * cross(b.position, b.velocity), static_cast<double>(b.work)};
}

Balance sum(const Balance& a, const Balance& b) {
  return {a.kinetic + b.kinetic, a.potential + b.potential, a.momentum + b.momentum,
          a.angular_momentum + b.angular_momentum, a.work + b.work};
}

ForceError force_error(std::span<const Body> bodies, double softening, std::size_t sample) {
  ForceError error;
  error.sample = std::min(sample, bodies.size());
  for (std::size_t i = 0; i < error.sample; ++i) {
    const Body& body = bodies[i * bodies.size() / error.sample];
    const Vec exact = direct(bodies, body, softening);
    const double off = norm(body.acceleration - exact);
    const double size = norm(exact);
    const double relative = size > 0 ? off / size : off;
    error.mean += relative / static_cast<double>(error.sample);
    error.rms += relative * relative / static_cast<double>(error.sample);
    error.largest = std::max(error.largest, relative);
  }
  error.rms = std::sqrt(error.rms);
  return error;
}

}  // namespace bh
