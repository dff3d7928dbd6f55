// Locally essential trees: of the images here, what who walks somewhere else may look at.
#include <algorithm>
#include <utility>
#include <vector>

#include "programs/barnes_hut/cells.hpp"
#include "programs/common/plain.hpp"

namespace bh {
namespace {

/// The boxes' sides, of all boxes one after the other, as most cells are compared with each.
class Boxes {
 public:
  explicit Boxes(std::span<const Box> boxes) : count_(boxes.size()) {
    for (const auto& box : boxes) {
      x_.add(box.low.x, box.high.x);
      y_.add(box.low.y, box.high.y);
      z_.add(box.low.z, box.high.z);
    }
  }

  /// Is the place so near to one?
  bool reached(Vec place, double distance2) {
    // Who is near one cell of an octet is often near the next.
    if (latest_ < count_ && distance2_of(latest_, place) <= distance2) return true;
    std::size_t near = 0;
    for (std::size_t i = 0; i < count_; ++i)
      near += static_cast<std::size_t>(distance2_of(i, place) <= distance2);
    if (near == 0) return false;
    for (latest_ = 0; latest_ + 1 < count_ && distance2_of(latest_, place) > distance2;) ++latest_;
    return true;
  }

 private:
  // How far at least the walk takes a place to be from a box, whatever its rounding: relative
  // places in single precision are off by a part in 10^7 of their size.
  struct Sides {
    void add(double from, double to) {
      low.push_back(from);
      high.push_back(to);
      off.push_back(1e-6 * (to - from));
    }
    double distance(std::size_t i, double x) const {
      const double outside = std::max(low[i] - x, x - high[i]);
      return std::max(0.0, outside * (1 - 1e-6) - off[i]);
    }
    std::vector<double> low, high, off;
  };
  double distance2_of(std::size_t i, Vec place) const {
    const double x = x_.distance(i, place.x);
    const double y = y_.distance(i, place.y);
    const double z = z_.distance(i, place.z);
    return x * x + y * y + z * z;
  }

  std::size_t count_;
  Sides x_, y_, z_;
  std::size_t latest_ = 0;
};

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
    return boxes_.reached(centre, static_cast<double>(opening2) * (1 + 1e-6));
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

  Boxes boxes_;
  const Settings& settings_;
  const Inside* image_ = nullptr;
  programs::Plain<Octet> octets_;
  programs::Plain<OctetQuadrupoles> quadrupoles_;
  programs::Plain<Mass> bodies_;
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
