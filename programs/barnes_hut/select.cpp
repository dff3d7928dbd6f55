// Locally essential trees: of the images here, what who walks somewhere else may look at.
#include <algorithm>
#include <utility>

#include "programs/barnes_hut/cells.hpp"

namespace bh {
namespace {

// How far at least the walk takes a place to be from a box, whatever its rounding: relative places
// in single precision are off by a part in 10^7 of their size.
double least_distance(double x, double low, double high) {
  const double distance = std::max({low - x, x - high, 0.0});
  return std::max(0.0, distance - 1e-6 * (distance + (high - low)));
}

class Selector {
 public:
  Selector(std::span<const Box> boxes, const Settings& settings)
      : boxes_(boxes), settings_(settings) {}

  /// A domain; what may be looked at of it is copied.
  Entry add(const Moments& moments, const Entry& domain, const Inside& image) {
    image_ = &image;
    if (!may_be_opened(moments.centre, opening_distance2(moments, settings_))) return {};
    if (domain.children == is_leaf)
      return {0, is_leaf, add_bodies(domain.begin, domain.count), domain.count};
    return {0, add_octet(domain.children), 0, 0};
  }

  Image image() && {
    NewImage image(octets_, quadrupoles_, bodies_.size());
    for (const auto& b : bodies_) image.add(b.x, b.y, b.z, b.mass);
    return std::move(image).take();
  }

 private:
  bool may_be_opened(Vec centre, float opening2) {
    const auto reaches = [&](const Box& box) {
      const Vec d{least_distance(centre.x, box.low.x, box.high.x),
                  least_distance(centre.y, box.low.y, box.high.y),
                  least_distance(centre.z, box.low.z, box.high.z)};
      return dot(d, d) <= static_cast<double>(opening2) * (1 + 1e-6);
    };
    // Who is near one cell of an octet is often near the next.
    if (latest_ < boxes_.size() && reaches(boxes_[latest_])) return true;
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      if (reaches(boxes_[i])) {
        latest_ = i;
        return true;
      }
    return false;
  }

  std::uint32_t add_bodies(std::uint32_t begin, std::uint32_t count) {
    const auto at = static_cast<std::uint32_t>(bodies_.size());
    const Places& from = image_->bodies;
    for (auto i = begin; i < begin + count; ++i)
      bodies_.push_back({0, from.x[i], from.y[i], from.z[i], from.mass[i]});
    return at;
  }

  std::int32_t add_octet(std::int32_t from) {
    const auto here = octets_.size();
    const auto old = static_cast<std::size_t>(from);
    octets_.push_back(image_->cells.octets[old]);
    if (settings_.quadrupole) quadrupoles_.push_back(image_->cells.quadrupoles[old]);
    const Octet octet = octets_.back();
    for (std::size_t i = 0; i < octet.cells; ++i) {
      auto children = is_missing;
      auto begin = octet.begin[i];
      if (may_be_opened({octet.x[i], octet.y[i], octet.z[i]}, octet.opening2[i])) {
        if (octet.children[i] == is_leaf) {
          children = is_leaf;
          begin = add_bodies(begin, octet.count[i]);
        } else {
          children = add_octet(octet.children[i]);
        }
      }
      octets_[here].children[i] = children;
      octets_[here].begin[i] = begin;
    }
    return static_cast<std::int32_t>(here);
  }

  std::span<const Box> boxes_;
  const Settings& settings_;
  const Inside* image_ = nullptr;
  std::size_t latest_ = 0;
  std::vector<Octet> octets_;
  std::vector<OctetQuadrupoles> quadrupoles_;
  std::vector<Mass> bodies_;
};

}  // namespace

Selection select(const Crown& crown, std::uint32_t first, std::span<const Inside> images,
                 std::span<const Box> boxes, const Settings& settings) {
  Selection selection;
  Selector selector(boxes, settings);
  for (const auto& cell : crown) {
    if (!is_inside(cell)) continue;
    const auto image = cell.inside.image;
    if (image < first) {
      ++selection.first;
    } else if (image - first < images.size()) {
      selection.domains.push_back(selector.add(cell.moments, cell.inside, images[image - first]));
    }
  }
  selection.image = std::move(selector).image();
  return selection;
}

}  // namespace bh
