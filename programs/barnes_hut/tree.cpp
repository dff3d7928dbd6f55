#include "programs/barnes_hut/tree.hpp"

#include <utility>

#include "programs/barnes_hut/cells.hpp"
#include "programs/common/plain.hpp"

namespace bh {
namespace {

unsigned digit(std::uint64_t key, int level) {
  return static_cast<unsigned>(key >> (3 * (key_levels - 1 - level))) & 7U;
}

// The end of those of sorted keys that share the digit of the first.
std::size_t end_of_digit(std::span<const Mass> bodies, std::size_t begin, std::size_t end,
                         int level) {
  const unsigned first = digit(bodies[begin].key, level);
  while (begin < end && digit(bodies[begin].key, level) == first) ++begin;
  return begin;
}

// ---- the tree of a shard ------------------------------------------------------------------------

class Grower {
 public:
  Grower(std::span<const Mass> bodies, const Settings& settings)
      : bodies_(bodies), settings_(settings) {
    octets_.reserve(bodies.size() / 8 + 8);
    if (settings.quadrupole) quadrupoles_.reserve(bodies.size() / 8 + 8);
  }

  Grown grow() {
    add_cell(0, bodies_.size(), 0);
    NewImage image(octets_, quadrupoles_, bodies_.size());
    for (const auto& b : bodies_) image.add(b.x, b.y, b.z, mass_scale * b.mass);
    return {std::move(crown_), std::move(image).take()};
  }

 private:
  bool is_undivided(std::size_t count, int level) const {
    return count <= settings_.leaf || level >= key_levels;
  }

  // A cell of the crown, with the bodies [begin, end). With the first or the last of all, it may
  // have bodies in other shards.
  void add_cell(std::size_t begin, std::size_t end, int level) {
    const auto here = crown_.size();
    crown_.emplace_back();
    crown_[here].digit = level == 0 ? 0 : digit(bodies_[begin].key, level - 1);
    Entry inside{0, is_leaf, static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(end - begin)};
    Moments moments;
    if (is_undivided(end - begin, level)) {
      moments = moments_of(bodies_.subspan(begin, end - begin));
    } else if (begin != 0 && end != bodies_.size()) {
      inside.children = divide(begin, end, level, moments);
    } else {
      inside.children = is_divided;
      std::vector<Moments> parts;
      for (auto at = begin; at < end;) {
        const auto stop = end_of_digit(bodies_, at, end, level);
        const auto child = crown_.size();
        add_cell(at, stop, level + 1);
        parts.push_back(crown_[child].moments);
        at = stop;
      }
      moments = moments_of(parts);
    }
    Cell& cell = crown_[here];
    cell.moments = moments;
    cell.inside = inside;
    cell.size = static_cast<std::uint32_t>(crown_.size() - here);
  }

  std::int32_t divide(std::size_t begin, std::size_t end, int level, Moments& sum) {
    const auto here = octets_.size();
    octets_.emplace_back();
    if (settings_.quadrupole) quadrupoles_.emplace_back();
    std::array<Moments, 8> parts;
    std::size_t used = 0;
    while (begin < end) {
      const auto stop = end_of_digit(bodies_, begin, end, level);
      Moments& part = parts[used];
      std::int32_t children = is_leaf;
      if (is_undivided(stop - begin, level + 1))
        part = moments_of(bodies_.subspan(begin, stop - begin));
      else
        children = divide(begin, stop, level + 1, part);
      Octet& octet = octets_[here];
      octet.children[used] = children;
      octet.begin[used] = static_cast<std::uint32_t>(begin);
      octet.count[used] = static_cast<std::uint32_t>(stop - begin);
      put_cell(octet, settings_.quadrupole ? &quadrupoles_[here] : nullptr, part, settings_);
      begin = stop;
      ++used;
    }
    sum = moments_of(std::span(parts).first(used));
    return static_cast<std::int32_t>(here);
  }

  std::span<const Mass> bodies_;
  const Settings& settings_;
  Crown crown_;
  programs::Plain<Octet> octets_;
  programs::Plain<OctetQuadrupoles> quadrupoles_;
};

// ---- crowns -------------------------------------------------------------------------------------

class Merger {
 public:
  Merger(const Crown& a, std::uint32_t images, const Crown& b) : a_(a), b_(b), images_(images) {
    merged_.reserve(a.size() + b.size());
  }

  Crown merge() {
    merge_cells(0, 0);
    return std::move(merged_);
  }

 private:
  static bool is_above(const Cell& cell) { return cell.inside.children == is_divided; }

  void copy_a(std::size_t cell) {
    const auto from = a_.begin() + static_cast<std::ptrdiff_t>(cell);
    merged_.insert(merged_.end(), from, from + a_[cell].size);
  }
  void copy_b(std::size_t cell) {
    for (auto i = cell; i < cell + b_[cell].size; ++i) {
      merged_.push_back(b_[i]);
      merged_.back().inside.image += images_;
    }
  }

  // What a and b have of the same cell. Where one does not divide it, it is a cell beside the
  // other's.
  void merge_cells(std::size_t a, std::size_t b) {
    const auto here = merged_.size();
    merged_.emplace_back();
    merged_[here].digit = a_[a].digit;
    if (is_above(a_[a]) && is_above(b_[b])) {
      merged_[here].inside.children = is_divided;
      merge_octants(a, b);
    } else {
      merged_[here].inside.children = is_in_parts;
      copy_a(a);
      copy_b(b);
    }
    std::vector<Moments> parts;
    for (auto i = here + 1; i < merged_.size(); i += merged_[i].size)
      parts.push_back(merged_[i].moments);
    merged_[here].moments = moments_of(parts);
    merged_[here].size = static_cast<std::uint32_t>(merged_.size() - here);
  }

  void merge_octants(std::size_t a, std::size_t b) {
    auto next = b + 1;
    for (auto i = a + 1; i < a + a_[a].size; i += a_[i].size) {
      const bool last = i + a_[i].size == a + a_[a].size;
      if (last && a_[i].digit == b_[next].digit) {
        merge_cells(i, next);
        next += b_[next].size;
      } else {
        copy_a(i);
      }
    }
    for (; next < b + b_[b].size; next += b_[next].size) copy_b(next);
  }

  const Crown& a_;
  const Crown& b_;
  std::uint32_t images_;
  Crown merged_;
};

class TopBuilder {
 public:
  TopBuilder(const Crown& crown, const Settings& settings) : crown_(crown), settings_(settings) {}

  Top build() {
    add_cell(add_octet(), 0);
    return std::move(top_);
  }

 private:
  std::size_t add_octet() {
    top_.octets.emplace_back();
    if (settings_.quadrupole) top_.quadrupoles.emplace_back();
    return top_.octets.size() - 1;
  }

  void add_cell(std::size_t octet, std::size_t at) {
    const Cell& cell = crown_[at];
    Octet& siblings = top_.octets[octet];
    const auto place = siblings.cells;
    siblings.begin[place] = siblings.count[place] = 0;
    put_cell(siblings, settings_.quadrupole ? &top_.quadrupoles[octet] : nullptr, cell.moments,
             settings_);
    if (is_inside(cell)) {
      siblings.children[place] = is_domain;
      siblings.begin[place] = static_cast<std::uint32_t>(top_.domains.size());
      top_.domains.push_back(cell.inside);
      return;
    }
    const auto below = add_octet();
    top_.octets[octet].children[place] = static_cast<std::int32_t>(below);
    for (auto i = at + 1; i < at + cell.size; i += crown_[i].size) add_cell(below, i);
  }

  const Crown& crown_;
  const Settings& settings_;
  Top top_;
};

}  // namespace

Grown grow(std::span<const Mass> bodies, const Settings& settings) {
  return Grower(bodies, settings).grow();
}

Crown merge_crowns(const Crown& a, std::uint32_t images, const Crown& b) {
  return Merger(a, images, b).merge();
}

Top top_of(const Crown& crown, const Settings& settings) {
  return TopBuilder(crown, settings).build();
}

}  // namespace bh
