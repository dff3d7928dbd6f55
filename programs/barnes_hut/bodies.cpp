#include "programs/barnes_hut/bodies.hpp"

#include <fmt/format.h>

namespace bh {

std::string fault(const Body& body) {
  constexpr double largest = 1e50;  // squares of larger ones might overflow
  const Vec& x = body.position;
  const Vec& v = body.velocity;
  for (const double value : {body.mass, x.x, x.y, x.z, v.x, v.y, v.z}) {
    if (!std::isfinite(value)) return "a number is infinite or not a number";
    if (std::abs(value) > largest) return fmt::format("{} is too large", value);
  }
  return body.mass < 0 ? fmt::format("the mass {} is negative", body.mass) : "";
}

}  // namespace bh
