#include "profiles/replay/generate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <trawl/trawl.hpp>

#include "profiles/replay/checksum.hpp"

namespace replay {
namespace {

Shape shape;

/// A task is known by these: whoever has them makes its children.
struct Place {
  std::uint64_t hash;
  std::uint32_t depth;
};

std::uint64_t hashed(std::uint64_t a, std::uint64_t b) {
  return mix(mix(a, b), 0x5851'F42D'4C95'7F2D);
}
/// Of a task, from 0 to 1.
double chance(const Place& place, std::uint64_t what) {
  return static_cast<double>(hashed(place.hash, what) >> 11U) * 0x1p-53;
}

Place root() {
  return {hashed(shape.seed, 1), 0};
}
Place child(const Place& place, std::uint32_t i) {
  return {hashed(place.hash, i + 2), place.depth + 1};
}

// As in UTS (Olivier et al., 2006), with another hash.
std::uint32_t geometric(const Place& place) {
  constexpr std::uint32_t most = 100;
  if (place.depth >= shape.depth) return 0;
  if (place.depth == 0) return shape.children;
  const double stop = 1 / (1.0 + shape.children);
  const double n = std::floor(std::log(1 - chance(place, 1)) / std::log(1 - stop));
  return static_cast<std::uint32_t>(std::min<double>(n, most));
}

std::uint32_t children(const Place& place) {
  switch (shape.tree) {
    case Tree::none:
      return 0;
    case Tree::flat:
      return place.depth == 0 ? shape.children : 0;
    case Tree::divide:
      return place.depth < shape.depth ? shape.children : 0;
    case Tree::geometric:
      return geometric(place);
    case Tree::binomial:
      if (place.depth == 0) return shape.roots;
      return chance(place, 1) < shape.probability ? shape.children : 0;
  }
  return 0;
}

Nanos work_of(const Place& place, std::uint32_t its_children) {
  const bool leaves_only = shape.tree == Tree::flat || shape.tree == Tree::divide;
  if (leaves_only && its_children != 0) return 0;
  const double factor = 1 + shape.spread * (2 * chance(place, 0) - 1);
  return std::llround(static_cast<double>(shape.work) * factor);
}

// ---- on Trawl ----------------------------------------------------------------------------------

std::uint64_t grow_at(Place place);

// Calls lie in frames: one frame a child. The last is the caller's own.
std::uint64_t grow_children(const Place& place, std::uint32_t from, std::uint32_t to) {
  if (from == to) return 0;
  if (from + 1 == to) return grow_at(child(place, from));
  auto first = trawl::spawn<grow_at>(child(place, from));
  const auto rest = grow_children(place, from + 1, to);
  return first.sync() + rest;
}

std::uint64_t grow_at(Place place) {
  const auto count = children(place);
  trawl::work(work_of(place, count));
  return place.hash + grow_children(place, 0, count);
}

std::uint64_t grow_leaf(std::uint32_t i) {
  return grow_at(child(root(), i));
}

// ---- alone -------------------------------------------------------------------------------------

/// Returns the critical path.
double measure_at(const Place& place, Grown& sum) {
  const auto count = children(place);
  const auto work = static_cast<double>(work_of(place, count));
  sum.sum += place.hash;
  sum.totals.work += work;
  ++sum.totals.tasks;
  double longest = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    longest = std::max(longest, measure_at(child(place, i), sum));
  const bool list = shape.tree == Tree::flat;
  sum.totals.sparks += list ? count : std::max(count, 1U) - 1;
  return work + longest;
}

/// Whoever has made a task needs it: what is under it is the same for arguments and results.
class Gaining {
 public:
  Gaining(Sent sent, std::span<const double> prices)
      : bytes_(sent == Sent::arguments ? sizeof(Place) : sizeof(std::uint64_t)), prices_(prices) {}

  Gains run() {
    look(root());
    return below_.front();
  }

 private:
  /// Returns the work of the task and what is under it, in seconds; see below_.
  double look(const Place& place) {
    if (below_.size() <= place.depth) below_.resize(place.depth + 1);
    below_[place.depth].assign(prices_.size(), 0);
    const auto count = children(place);
    auto work = static_cast<double>(work_of(place, count)) * 1e-9;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto of_child = look(child(place, i));
      const bool is_offered = shape.tree == Tree::flat || i + 1 < count;
      for (std::size_t k = 0; k < prices_.size(); ++k) {
        const auto parts = below_[place.depth + 1][k];
        below_[place.depth][k] +=
            is_offered ? std::max(parts, of_child - prices_[k] * bytes_) : parts;
      }
      work += of_child;
    }
    return work;
  }

  double bytes_;
  std::span<const double> prices_;
  std::vector<Gains> below_;  // by depth: of the last task there, if it is not given away itself
};

}  // namespace

void set_shape(const Shape& its_shape) {
  shape = its_shape;
}

std::uint64_t grow() {
  if (shape.tree != Tree::flat) return grow_at(root());
  return root().hash + trawl::par_map_reduce<grow_leaf, std::plus<std::uint64_t>{}>(
                           std::uint32_t{0}, shape.children, 1U, std::uint64_t{0});
}

Grown measure(const Shape& its_shape) {
  shape = its_shape;
  Grown sum;
  sum.totals.critical_path = measure_at(root(), sum);
  --sum.totals.tasks;  // the root
  sum.totals.argument_bytes = sum.totals.sparks * sizeof(Place);
  sum.totals.result_bytes = sum.totals.sparks * sizeof(std::uint64_t);
  return sum;
}

Bound bound(const Shape& its_shape, const Reach& reach) {
  const auto totals = measure(its_shape).totals;
  const auto of = [](Sent sent) {
    return [sent](std::span<const double> prices) { return Gaining(sent, prices).run(); };
  };
  return bound(totals, reach, of(Sent::arguments), of(Sent::results));
}

}  // namespace replay
