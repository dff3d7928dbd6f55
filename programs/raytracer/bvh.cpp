#include "programs/raytracer/bvh.hpp"

#include <algorithm>
#include <span>

namespace raytracer {
namespace {

constexpr std::size_t bins = 16;
constexpr std::size_t leaf_size = 4;
constexpr float node_cost = 1.5F;  // of testing two boxes, in tests of a surface

Vec lower(Vec a, Vec b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec upper(Vec a, Vec b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

void include(Box& box, const Box& other) {
  box.low = lower(box.low, other.low);
  box.high = upper(box.high, other.high);
}

float half_area(const Box& box) {
  const Vec size = box.high - box.low;
  return size.x < 0 ? 0 : size.x * size.y + size.y * size.z + size.z * size.x;
}

float along(Vec v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

struct Item {
  Box box;
  Vec middle;
  std::uint32_t surface;
};
using Items = std::span<Item>;

// A little larger than the surface, by more than a ray's intersection with it may be off.
Box box_of(const Surface& surface) {
  Box box;
  if (surface.kind == Surface::sphere) {
    const Vec r{surface.ab.x, surface.ab.x, surface.ab.x};
    box = {surface.a - r, surface.a + r};
  } else {
    const Vec b = surface.a + surface.ab;
    const Vec c = surface.a + surface.ac;
    box = {lower(surface.a, lower(b, c)), upper(surface.a, upper(b, c))};
  }
  const Vec far = upper(box.high, box.low * -1);
  const float slack = 2e-6F * std::max({far.x, far.y, far.z, length(box.high - box.low)});
  const Vec pad{slack, slack, slack};
  return {box.low - pad, box.high + pad};
}

Box bounds(Items items) {
  Box box;
  for (const Item& item : items) include(box, item.box);
  return box;
}

struct Split {
  float cost = INFINITY;
  int axis = 0;
  std::size_t after = 0;  ///< the last bin of the first part
  float low = 0;
  float scale = 0;

  std::size_t bin(const Item& item) const {
    return std::min(static_cast<std::size_t>((along(item.middle, axis) - low) * scale), bins - 1);
  }
};

// The surface area heuristic over bins of middles (Wald, On fast construction of SAH-based bounding
// volume hierarchies, 2007).
void try_axis(Items items, Split split, Split& best) {
  std::array<Box, bins> boxes;
  std::array<std::size_t, bins> counts{};
  for (const Item& item : items) {
    const std::size_t bin = split.bin(item);
    include(boxes[bin], item.box);
    ++counts[bin];
  }
  std::array<float, bins> right{};
  Box box;
  std::size_t count = 0;
  for (std::size_t i = bins - 1; i > 0; --i) {
    include(box, boxes[i]);
    count += counts[i];
    right[i - 1] = half_area(box) * static_cast<float>(count);
  }
  box = {};
  count = 0;
  for (split.after = 0; split.after + 1 < bins; ++split.after) {
    include(box, boxes[split.after]);
    count += counts[split.after];
    split.cost = half_area(box) * static_cast<float>(count) + right[split.after];
    if (count > 0 && count < items.size() && split.cost < best.cost) best = split;
  }
}

Split best_split(Items items) {
  Box middles;
  for (const Item& item : items) include(middles, {item.middle, item.middle});
  Split best;
  for (int axis = 0; axis < 3; ++axis) {
    const float low = along(middles.low, axis);
    const float size = along(middles.high, axis) - low;
    const float scale = static_cast<float>(bins) / size;
    if (size > 0 && std::isfinite(scale)) try_axis(items, {INFINITY, axis, 0, low, scale}, best);
  }
  return best;
}

class Builder {
 public:
  Builder(std::vector<Item>& items, std::vector<Node>& nodes) : items_(items), nodes_(nodes) {}

  /// Makes an inner node of these items, at least one, and those below it.
  std::uint32_t inner(Items items, int depth) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    const std::size_t middle =
        depth == 0 && items.size() <= leaf_size ? items.size() : divide(items, depth);
    const Child left = child(items.first(middle), depth + 1);
    const Child right = middle < items.size() ? child(items.subspan(middle), depth + 1) : Child{};
    nodes_[index] = {left, right};
    return index;
  }

 private:
  Child child(Items items, int depth) {
    const Box box = bounds(items);
    if (!is_leaf(items, box)) return {box, inner(items, depth), 0};
    return {box, static_cast<std::uint32_t>(items.data() - items_.data()),
            static_cast<std::uint32_t>(items.size())};
  }

  static bool is_leaf(Items items, const Box& box) {
    if (items.size() <= 1) return true;
    if (items.size() > leaf_size) return false;
    const float area = half_area(box);
    return best_split(items).cost + node_cost * area >= area * static_cast<float>(items.size());
  }

  // Where the heuristic finds nothing, or has gone too deep, halves keep the paths short.
  static std::size_t divide(Items items, int depth) {
    const Split split = depth < deepest / 2 ? best_split(items) : Split{};
    if (!std::isfinite(split.cost)) return items.size() / 2;
    const auto second = std::partition(items.begin(), items.end(), [&](const Item& item) {
      return split.bin(item) <= split.after;
    });
    return static_cast<std::size_t>(second - items.begin());
  }

  std::vector<Item>& items_;
  std::vector<Node>& nodes_;
};

}  // namespace

void build_hierarchy(Scene& scene) {
  scene.nodes.clear();
  if (scene.surfaces.empty()) return;
  std::vector<Item> items;
  items.reserve(scene.surfaces.size());
  for (std::uint32_t i = 0; i < scene.surfaces.size(); ++i) {
    const Box box = box_of(scene.surfaces[i]);
    items.push_back({box, (box.low + box.high) * 0.5F, i});
  }
  Builder(items, scene.nodes).inner(items, 0);

  std::vector<Surface> ordered;
  ordered.reserve(items.size());
  for (const Item& item : items) ordered.push_back(scene.surfaces[item.surface]);
  scene.surfaces = std::move(ordered);
}

}  // namespace raytracer
