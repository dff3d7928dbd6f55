#include "programs/galaxy/tree.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace galaxy {
namespace {

constexpr std::uint32_t leaf_stars = 8;
constexpr std::uint32_t group_stars = 96;

/// Mass, and centre of mass times that.
struct Moments {
  double mass = 0;
  double x = 0;
  double y = 0;
};

class Builder {
 public:
  Builder(const std::vector<Place>& places, const std::vector<float>& masses, double theta)
      : theta_(theta) {
    Box box;
    for (const auto& p : places) box.add(p);
    const Square square(box);
    side_ = square.side;
    order_ = along_curve(places, square);
    for (auto* row : {&tree_.x, &tree_.y, &tree_.mass}) row->reserve(places.size());
    for (const auto& item : order_) {
      tree_.x.push_back(places[item.index].x);
      tree_.y.push_back(places[item.index].y);
      tree_.mass.push_back(masses[item.index]);
    }
    tree_.group_of.resize(places.size());
    tree_.quads.reserve(places.size() / 6 + 4);
  }

  Tree build() && {
    tree_.quads.emplace_back();
    add_cell(0, 0, static_cast<std::uint32_t>(order_.size()), 0, false);
    return std::move(tree_);
  }

 private:
  unsigned digit(std::uint32_t star, unsigned level) const {
    return static_cast<unsigned>(order_[star].key >> (2 * (levels - 1 - level))) & 3U;
  }

  /// Puts the cell of these stars, at this level, into a quad.
  Moments add_cell(std::size_t quad, std::uint32_t begin, std::uint32_t end, unsigned level,
                   bool in_group) {
    if (!in_group && (end - begin <= group_stars || level == levels)) {
      add_group(begin, end);
      in_group = true;
    }
    std::int32_t children = leaf;
    Moments sum;
    if (end - begin <= leaf_stars || level == levels)
      sum = moments(begin, end);
    else
      sum = divide(begin, end, level, in_group, children);
    auto& its = tree_.quads[quad];
    const auto at = its.cells++;
    its.x[at] = static_cast<float>(sum.x / sum.mass);
    its.y[at] = static_cast<float>(sum.y / sum.mass);
    its.mass[at] = static_cast<float>(sum.mass);
    its.opening2[at] = opening2(level);
    its.children[at] = children;
    its.begin[at] = begin;
    its.end[at] = end;
    return sum;
  }

  Moments divide(std::uint32_t begin, std::uint32_t end, unsigned level, bool in_group,
                 std::int32_t& children) {
    const auto here = tree_.quads.size();
    tree_.quads.emplace_back();
    children = static_cast<std::int32_t>(here);
    Moments sum;
    while (begin < end) {
      const auto stop = end_of_digit(begin, end, level);
      const auto part = add_cell(here, begin, stop, level + 1, in_group);
      sum.mass += part.mass;
      sum.x += part.x;
      sum.y += part.y;
      begin = stop;
    }
    return sum;
  }

  std::uint32_t end_of_digit(std::uint32_t begin, std::uint32_t end, unsigned level) const {
    const auto first = digit(begin, level);
    const auto rest = std::span(order_).subspan(begin, end - begin);
    const auto stop = std::ranges::partition_point(rest, [&](const Keyed& item) {
      return (static_cast<unsigned>(item.key >> (2 * (levels - 1 - level))) & 3U) == first;
    });
    return begin + static_cast<std::uint32_t>(stop - rest.begin());
  }

  Moments moments(std::uint32_t begin, std::uint32_t end) const {
    Moments sum;
    for (auto i = begin; i < end; ++i) {
      const double mass = tree_.mass[i];
      sum.mass += mass;
      sum.x += mass * tree_.x[i];
      sum.y += mass * tree_.y[i];
    }
    return sum;
  }

  void add_group(std::uint32_t begin, std::uint32_t end) {
    const auto number = static_cast<std::uint32_t>(tree_.groups.size());
    Box box;
    for (auto i = begin; i < end; ++i) {
      box.add({tree_.x[i], tree_.y[i]});
      tree_.group_of[order_[i].index] = number;
    }
    tree_.groups.push_back({0.5F * (box.low.x + box.high.x), 0.5F * (box.low.y + box.high.y),
                            0.5F * (box.high.x - box.low.x), 0.5F * (box.high.y - box.low.y)});
  }

  // The report compares the side with the softened distance.
  float opening2(unsigned level) const {
    if (theta_ == 0) return std::numeric_limits<float>::infinity();
    const double distance = side_ / static_cast<double>(1U << level) / theta_;
    return static_cast<float>(distance * distance - softening2);
  }

  double theta_;
  double side_ = 1;
  programs::Plain<Keyed> order_;
  Tree tree_;
};

}  // namespace

Tree build_tree(const std::vector<Place>& places, const std::vector<float>& masses, double theta) {
  return Builder(places, masses, theta).build();
}

}  // namespace galaxy
