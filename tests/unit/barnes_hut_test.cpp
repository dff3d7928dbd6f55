// barnes_hut's trees: merged from shards, and as much of them as a walk elsewhere needs; its text
// files in parts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "programs/barnes_hut/kernels.hpp"
#include "programs/barnes_hut/text_format.hpp"

namespace {

using namespace bh;

/// Along the curve; dense in one corner, some at the same place.
std::vector<Mass> cloud(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const auto uniform = [&dice] { return static_cast<double>(dice() >> 11U) * 0x1p-53; };
  std::vector<Mass> bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = std::pow(uniform(), 3);
    Mass body{0, r * uniform(), r * uniform(), r * uniform(), 1 / static_cast<double>(count)};
    if (i % 50 == 49) {
      const auto& last = bodies.back();
      body = {0, last.x, last.y, last.z, body.mass};
    }
    body.key = hilbert_key({body.x, body.y, body.z});
    bodies.push_back(body);
  }
  std::ranges::sort(bodies, {}, &Mass::key);
  return bodies;
}

/// The tree of bodies in so many shards.
struct Trees {
  Trees(const std::vector<Mass>& bodies, std::size_t shards, const Settings& its_settings)
      : settings(its_settings) {
    for (std::size_t i = 0; i < shards; ++i) {
      const auto begin = bodies.size() * i / shards;
      auto grown = grow(std::span(bodies).subspan(begin, bodies.size() * (i + 1) / shards - begin),
                        settings);
      crown =
          i == 0 ? grown.crown : merge_crowns(crown, static_cast<std::uint32_t>(i), grown.crown);
      images.push_back(std::move(grown.image));
    }
    for (const auto& image : images) inside.push_back(open(image));
    top = top_of(crown, settings);
  }
  Settings settings;
  Crown crown;
  std::vector<Image> images;
  std::vector<Inside> inside;
  Top top;
};

Box around(const Places& bodies) {
  const auto low = [&](const double* x) { return *std::min_element(x, x + bodies.count); };
  const auto high = [&](const double* x) { return *std::max_element(x, x + bodies.count); };
  return {{low(bodies.x), low(bodies.y), low(bodies.z)},
          {high(bodies.x), high(bodies.y), high(bodies.z)}};
}

bool same(const Forces& a, const Forces& b) {
  const auto equal = [](const Force& f, const Force& g) {
    return f.x == g.x && f.y == g.y && f.z == g.z && f.potential == g.potential;
  };
  return a.acted == b.acted && std::ranges::equal(a.forces, b.forces, equal);
}

TEST(BarnesHut, ATreeOfShardsHasAllBodiesAndTheMomentsOfAll) {
  for (const std::size_t count : {1U, 13U, 200U, 5000U})
    for (const std::size_t shards : {1U, 2U, 7U, 64U}) {
      if (shards > count) continue;
      const auto bodies = cloud(count, count + shards);
      const Trees trees(bodies, shards, {});
      const Moments all = moments_of(bodies);
      const Moments& root = trees.crown.front().moments;
      EXPECT_NEAR(root.mass, 1, 1e-12);
      EXPECT_NEAR(root.centre.x, all.centre.x, 1e-12);
      EXPECT_NEAR(root.spread, all.spread, 1e-12);
      EXPECT_NEAR(root.xy, all.xy, 1e-12);
      EXPECT_GE(root.radius, all.radius * (1 - 1e-12));
      EXPECT_EQ(root.low, all.low);
      EXPECT_EQ(root.high, all.high);
      EXPECT_EQ(trees.crown.front().size, trees.crown.size());
      std::size_t there = 0;
      for (const auto& inside : trees.inside) there += inside.bodies.count;
      EXPECT_EQ(there, count);
    }
}

// What a walk from shard `at` sees where all other shards lie elsewhere: of them only what was
// selected for `box`.
Forces seen_from(const Trees& trees, std::size_t at, const Box& box) {
  const auto before =
      select(trees.crown, 0, std::span(trees.inside).first(at), {&box, 1}, trees.settings);
  const auto behind = select(trees.crown, static_cast<std::uint32_t>(at + 1),
                             std::span(trees.inside).subspan(at + 1), {&box, 1}, trees.settings);
  const std::vector<Inside> images{trees.inside[at], open(before.image), open(behind.image)};
  auto domains = trees.top.domains;
  for (auto& domain : domains) domain.image = 0;
  std::uint32_t image = 1;
  for (const auto* selection : {&before, &behind}) {
    for (std::size_t i = 0; i < selection->domains.size(); ++i) {
      domains[selection->first + i] = selection->domains[i];
      domains[selection->first + i].image = image;
    }
    ++image;
  }
  const auto& bodies = trees.inside[at].bodies;
  return forces_portable({&trees.top, domains, images}, bodies,
                         group_size(bodies.count, trees.settings), trees.settings);
}

TEST(BarnesHut, AWalkSeesTheSameInItsLocallyEssentialTree) {
  for (const double theta : {0.0, 0.3, 0.7, 1.0})
    for (const bool quadrupole : {false, true}) {
      Settings settings;
      settings.theta = theta;
      settings.quadrupole = quadrupole;
      settings.softening = 0.01;
      const Trees trees(cloud(3000, 5), 8, settings);
      for (std::size_t at = 0; at < 8; ++at) {
        const auto& own = trees.inside[at].bodies;
        const View view{&trees.top, trees.top.domains, trees.inside};
        const auto group = group_size(own.count, settings);
        const auto whole = forces_portable(view, own, group, settings);
        EXPECT_TRUE(same(seen_from(trees, at, around(own)), whole)) << theta << ' ' << at;
        Forces parts;
        for (std::size_t begin = 0; begin < own.count; begin += 2 * group) {
          const auto end = std::min<std::size_t>(begin + 2 * group, own.count);
          const auto part = forces_portable(view, own.part(begin, end), group, settings);
          parts.forces.insert(parts.forces.end(), part.forces.begin(), part.forces.end());
          parts.acted.insert(parts.acted.end(), part.acted.begin(), part.acted.end());
        }
        EXPECT_TRUE(same(parts, whole)) << theta << ' ' << at;
      }
    }
}

TEST(BarnesHut, WhatIsFarAwayIsNotSelectedAndToOpenItIsAnError) {
  Settings settings;
  settings.softening = 0.01;
  const Trees trees(cloud(3000, 6), 4, settings);
  const Box far{{30, 30, 30}, {31, 31, 31}};
  const auto selection =
      select(trees.crown, 0, std::span(trees.inside).first(1), {&far, 1}, settings);
  EXPECT_EQ(open(selection.image).bodies.count, 0U);
  const auto for_nobody = select(trees.crown, 0, std::span(trees.inside).first(1), {}, settings);
  EXPECT_EQ(open(for_nobody.image).bodies.count, 0U);
  EXPECT_THROW(seen_from(trees, 1, far), std::logic_error);
  const Box own = around(trees.inside[1].bodies);
  const auto near_by =
      select(trees.crown, 0, std::span(trees.inside).first(1), {&own, 1}, settings);
  EXPECT_GT(open(near_by.image).bodies.count, 0U);
  EXPECT_LT(near_by.image.size(), trees.images[0].size());
}

TextSummary summary_in_parts(const std::vector<std::string>& lines, std::size_t size) {
  TextSummary all;
  for (std::size_t at = 0; at < lines.size(); at += size)
    all = joined(all, summary_of({lines.begin() + static_cast<std::ptrdiff_t>(at),
                                  lines.begin() + static_cast<std::ptrdiff_t>(
                                                      std::min(at + size, lines.size()))}));
  return all;
}

TEST(BarnesHut, TextInPartsIsReadAsAWhole) {
  const std::string names = "mass,x,y,z,vx,vy,vz";
  const std::string body = "1 0 0 0 0 0 0";
  const std::vector<std::vector<std::string>> files{
      {names, "# time 3", body, body, "", body},
      {"# time 1", names, names, body, "# time 2", body},
      {body, names, body},
      {body, "", "1 2 3", names, "# time nan"},
      {names, body, "# time nan", body, "x"}};
  for (const auto& lines : files) {
    const auto whole = summary_of(lines);
    for (const std::size_t size : {1U, 2U, 3U}) {
      const auto parts = summary_in_parts(lines, size);
      EXPECT_EQ(parts.lines, lines.size());
      EXPECT_EQ(parts.faulty_line, whole.faulty_line);
      EXPECT_EQ(parts.fault, whole.fault);
      if (whole.faulty_line == 0) {
        EXPECT_EQ(parts.bodies, whole.bodies);
        EXPECT_EQ(parts.time, whole.time);
      }
    }
  }
}

}  // namespace
