// Stars round a black hole, in two dimensions, as the report has them: positions in pixels of a
// window, single precision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace galaxy {

// The report's constants.
inline constexpr float gravity = 10;    ///< Newton's constant
inline constexpr float softening2 = 1;  ///< square of the length within which gravity fades
inline constexpr float step_length = 0.001F;
inline constexpr float hole_mass = 1000;
inline constexpr float radius = 288;  ///< of the galaxy at first

struct Place {
  float x = 0;
  float y = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Star {
  Place at;
  Place speed;
  float mass = 0;
  float work = 1;           ///< stars and cells that acted on it at the last step
  std::uint64_t key = 0;    ///< on the curve, when the stars were last sorted
  std::uint32_t index = 0;  ///< among all stars, since then
  std::uint32_t id = 0;     ///< at first

  friend bool operator==(const Star&, const Star&) = default;
};

/// Star i of a galaxy; 0 is the black hole.
Star star(std::size_t i, std::uint64_t seed);

/// Around some stars.
struct Box {
  Place low{1e30F, 1e30F};
  Place high{-1e30F, -1e30F};

  void add(Place p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
};

/// What is said of the stars at the end, in the order of their ids.
std::string summary(const std::vector<Star>& stars);

}  // namespace galaxy
