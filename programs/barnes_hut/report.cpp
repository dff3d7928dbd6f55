#include "programs/barnes_hut/report.hpp"

#include <algorithm>
#include <cmath>

namespace bh {
namespace {

struct Pulls {
  Vec sum;
  double size = 0;  // of each, together: where they cancel out the sum is far less
};

Pulls direct(std::span<const Body> bodies, const Body& target, double softening) {
  Pulls pulls;
  for (const auto& body : bodies) {
    const Vec d = body.position - target.position;
    const double r2 = dot(d, d);
    if (r2 == 0) continue;
    const double inverse = 1 / std::sqrt(r2 + softening * softening);
    const Vec pull = (body.mass * inverse * inverse * inverse) * d;
    pulls.sum += pull;
    pulls.size += norm(pull);
  }
  return pulls;
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
    const Pulls exact = direct(bodies, body, softening);
    const double off = norm(body.acceleration - exact.sum);
    const auto of = [off](double size) { return size > 0 ? off / size : off; };
    const double relative = of(norm(exact.sum));
    error.of_pulls += of(exact.size) / static_cast<double>(error.sample);
    error.mean += relative / static_cast<double>(error.sample);
    error.rms += relative * relative / static_cast<double>(error.sample);
    error.largest = std::max(error.largest, relative);
  }
  error.rms = std::sqrt(error.rms);
  return error;
}

}  // namespace bh
