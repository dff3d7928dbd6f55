#include "programs/galaxy/run.hpp"

#include <algorithm>
#include <cmath>

#include "programs/galaxy/forces.hpp"

namespace galaxy {
namespace {

void sort(std::vector<Star>& stars) {
  Box box;
  for (const auto& s : stars) box.add(s.at);
  const Square square(box);
  for (auto& s : stars) s.key = key(s.at, square);
  std::ranges::stable_sort(stars, {}, &Star::key);
  for (std::size_t i = 0; i < stars.size(); ++i) stars[i].index = static_cast<std::uint32_t>(i);
}

Tree tree_of(const std::vector<Star>& stars, double theta) {
  std::vector<Place> places;
  std::vector<float> masses;
  for (const auto& s : stars) {
    places.push_back(s.at);
    masses.push_back(s.mass);
  }
  return build_tree(places, masses, theta);
}

}  // namespace

void by_id(std::vector<Star>& stars) {
  std::ranges::sort(stars, {}, &Star::id);
}

std::vector<Star> run_sequentially(const Run& run) {
  std::vector<Star> stars;
  for (std::size_t i = 0; i < run.stars; ++i) stars.push_back(star(i, run.seed));
  for (std::size_t step = 0; step < run.steps; ++step) {
    if (run.sorts_before(step)) sort(stars);
    Effort effort;
    stars = moved(stars, tree_of(stars, run.theta), effort);
  }
  by_id(stars);
  return stars;
}

double mean_error(const std::vector<Star>& stars, double theta, std::size_t sample) {
  std::vector<Star> sorted = stars;
  sort(sorted);
  Effort effort;
  const auto pulled = pulls(sorted, tree_of(sorted, theta), effort);
  sample = std::min(sample, sorted.size());
  double sum = 0;
  for (std::size_t k = 0; k < sample; ++k) {
    const auto i = k * sorted.size() / sample;
    double x = 0;
    double y = 0;
    for (const auto& other : sorted) {
      const double dx = double{other.at.x} - sorted[i].at.x;
      const double dy = double{other.at.y} - sorted[i].at.y;
      const double d2 = dx * dx + dy * dy + softening2;
      const double pull = gravity * other.mass / (d2 * std::sqrt(d2));
      x += pull * dx;
      y += pull * dy;
    }
    const double size = std::hypot(x, y);
    const double off = std::hypot(x - pulled[i].by.x, y - pulled[i].by.y);
    sum += size > 0 ? off / size : off;
  }
  return sum / static_cast<double>(sample);
}

}  // namespace galaxy
