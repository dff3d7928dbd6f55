#include "programs/barnes_hut/forces.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <trawl/here.hpp>

namespace bh {
namespace {

// As workers share out what is one place's: groups in a row, and parts of a selection.
constexpr std::size_t groups_at_once = 4;
constexpr std::size_t most_parts = 16;

// The images of a portion follow each other, as its shards do; of empty shards there is none.
std::size_t first_image(const trawl::Portion<Body>& own, const Tree& tree) {
  for (const auto& shard : own)
    if (!shard.empty())
      return static_cast<std::size_t>(std::ranges::find(tree.firsts, shard.front().place) -
                                      tree.firsts.begin());
  return 0;
}

std::size_t images_of(const trawl::Portion<Body>& own) {
  return static_cast<std::size_t>(
      std::ranges::count_if(own, [](const auto& shard) { return !shard.empty(); }));
}

}  // namespace

Tree build_tree(const Bodies& shard, const Bounds& bounds, const Gravity& gravity) {
  const Units units = units_of(bounds, gravity);
  Grown grown = grow(units.masses(shard), units.settings);
  return {std::move(grown.crown), {trawl::keep(std::move(grown.image))}, {shard.front().place}};
}

Tree merge(const Tree& a, const Tree& b) {
  Tree both{merge_crowns(a.crown, static_cast<std::uint32_t>(a.images.size()), b.crown), a.images,
            a.firsts};
  both.images.insert(both.images.end(), b.images.begin(), b.images.end());
  both.firsts.insert(both.firsts.end(), b.firsts.begin(), b.firsts.end());
  return both;
}

std::vector<Box> cover(const trawl::Portion<Body>& own, std::uint32_t boxes) {
  std::size_t bodies = 0;
  for (const auto& shard : own) bodies += shard.size();
  std::vector<Box> all;
  std::size_t before = 0;
  std::size_t due = 0;  // bodies before the next box
  for (const auto& shard : own)
    for (std::size_t begin = 0, size = group_size(shard.size(), {}); begin < shard.size();
         begin += size) {
      const auto group = shard.subspan(begin, std::min(size, shard.size() - begin));
      if (before >= due) {
        all.push_back({group.front().position, group.front().position});
        due = (bodies * all.size() + boxes - 1) / boxes;
      }
      for (const auto& body : group)
        all.back() = {lower(all.back().low, body.position), higher(all.back().high, body.position)};
      before += group.size();
    }
  return all;
}

std::vector<Selection> select_for(const trawl::Portion<Body>& own, const std::vector<Box>& boxes,
                                  const Tree& tree, const Bounds& bounds, const Gravity& gravity) {
  const Units units = units_of(bounds, gravity);
  // The cube's units are monotonous in each coordinate: boxes stay around what is in them.
  std::vector<Box> inside;
  for (const auto& box : boxes)
    inside.push_back({units.cube.to_unit(box.low), units.cube.to_unit(box.high)});
  const auto first = first_image(own, tree);
  std::vector<Inside> images;
  for (std::size_t i = 0; i < images_of(own); ++i)
    images.push_back(open(trawl::force(tree.images.at(first + i))));
  std::vector<Selection> parts(std::min(images.size(), most_parts));
  trawl::here::for_each(parts.size(), [&](std::size_t i) {
    const auto begin = i * images.size() / parts.size();
    const auto end = (i + 1) * images.size() / parts.size();
    parts[i] = select(tree.crown, static_cast<std::uint32_t>(first + begin),
                      std::span(images).subspan(begin, end - begin), inside, units.settings);
  });
  return parts;
}

LocalTree assemble(const trawl::Portion<Body>& own,
                   const std::vector<trawl::Lazy<std::vector<Selection>>>& others, const Tree& tree,
                   const Bounds& bounds, const Gravity& gravity) {
  LocalTree local;
  local.top = top_of(tree.crown, units_of(bounds, gravity).settings);
  const auto first = first_image(own, tree);
  const auto count = images_of(own);
  for (auto i = first; i < first + count; ++i) {
    local.own.push_back(tree.images.at(i));
    local.firsts.push_back(tree.firsts.at(i));
  }
  for (auto& domain : local.top.domains)
    if (domain.image - first < count)
      domain.image -= static_cast<std::uint32_t>(first);
    else
      domain = {};
  local.others = others;
  auto image = static_cast<std::uint32_t>(count);
  for (const auto& other : others)
    for (const Selection& part : trawl::force(other)) {
      for (std::size_t d = 0; d < part.domains.size(); ++d) {
        Entry& domain = local.top.domains.at(part.first + d);
        domain = part.domains[d];
        domain.image = image;
      }
      ++image;
    }
  return local;
}

// A PE may have few shards more than workers: those that have none left help.
Bodies interact(const Bodies& shard, const LocalTree& tree, const Bounds& bounds,
                const Gravity& gravity, double kick) {
  if (shard.empty()) return {};
  const Units units = units_of(bounds, gravity);
  std::vector<Inside> images;
  for (const auto& image : tree.own) images.push_back(open(trawl::force(image)));
  for (const auto& other : tree.others)
    for (const Selection& part : trawl::force(other)) images.push_back(open(part.image));
  const auto own = std::ranges::find(tree.firsts, shard.front().place) - tree.firsts.begin();
  const View view{&tree.top, tree.top.domains, images};
  const Places& places = images.at(static_cast<std::size_t>(own)).bodies;
  const auto size = group_size(shard.size(), units.settings);
  const auto stretch = size * groups_at_once;
  auto moved = trawl::numbers<Body>(
      shard.size(), [&shard](std::span<Body> bodies) { std::ranges::copy(shard, bodies.begin()); });
  trawl::here::for_each((moved.size() + stretch - 1) / stretch, [&](std::size_t i) {
    const auto begin = i * stretch;
    const auto end = std::min(begin + stretch, moved.size());
    const Forces on = forces_on(view, places.part(begin, end), size, units.settings);
    for (std::size_t k = begin; k < end; ++k) {
      Body& body = moved[k];
      const Force& f = on.forces[k - begin];
      body.acceleration = units.acceleration * Vec{f.x, f.y, f.z};
      body.potential = units.potential * f.potential;
      if (!units.settings.skip_coincident) body.potential += body.mass / gravity.softening;
      body.velocity += kick * body.acceleration;
      body.work = on.acted[(k - begin) / size];
    }
  });
  return moved;
}

}  // namespace bh
