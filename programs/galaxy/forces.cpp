#include "programs/galaxy/forces.hpp"

#include <algorithm>
#include <cmath>

#include "programs/galaxy/kernel.hpp"

namespace galaxy {
namespace {

class Walk {
 public:
  Walk(const Tree& tree, Effort& effort) : tree_(tree), effort_(effort) {}

  /// All that acts on a group. Good until the next.
  const List& of(const Group& group) {
    list_.clear();
    todo_.push_back(0);
    while (!todo_.empty()) {
      const Quad& quad = tree_.quads[todo_.back()];
      todo_.pop_back();
      ++effort_.quads;
      look(quad, group);
    }
    return list_;
  }

 private:
  void look(const Quad& quad, const Group& group) {
    std::array<float, 4> distance2{};
    for (std::size_t i = 0; i < 4; ++i) {
      const float dx = std::max(std::abs(quad.x[i] - group.x) - group.dx, 0.F);
      const float dy = std::max(std::abs(quad.y[i] - group.y) - group.dy, 0.F);
      distance2[i] = dx * dx + dy * dy;
    }
    list_.reserve_more(4);
    for (std::size_t i = 0; i < quad.cells; ++i)
      if (distance2[i] > quad.opening2[i])
        list_.add(quad.x[i], quad.y[i], quad.mass[i]);
      else if (quad.children[i] != leaf)
        todo_.push_back(static_cast<std::uint32_t>(quad.children[i]));
      else
        add_stars(quad.begin[i], quad.end[i]);
  }

  void add_stars(std::uint32_t begin, std::uint32_t end) {
    list_.reserve_more(end - begin + 4);
    list_.add(&tree_.x[begin], &tree_.y[begin], &tree_.mass[begin], end - begin);
  }

  const Tree& tree_;
  Effort& effort_;
  List list_;
  programs::Plain<std::uint32_t> todo_;
};

/// Which of the stars are in which group: those of group g are in `stars` from ends[g - 1] on.
struct Members {
  programs::Plain<std::uint32_t> ends;
  programs::Plain<std::uint32_t> stars;
};

Members by_group(const std::vector<Star>& stars, const Tree& tree) {
  Members members{programs::Plain<std::uint32_t>(tree.groups.size() + 1, 0),
                  programs::Plain<std::uint32_t>(stars.size())};
  auto& ends = members.ends;
  for (const auto& star : stars) ++ends[tree.group_of[star.index] + 1];
  for (std::size_t g = 1; g < ends.size(); ++g) ends[g] += ends[g - 1];
  for (std::uint32_t i = 0; i < stars.size(); ++i)
    members.stars[ends[tree.group_of[stars[i].index]]++] = i;
  return members;
}

}  // namespace

programs::Plain<Pull> pulls(const std::vector<Star>& stars, const Tree& tree, Effort& effort) {
  const Members members = by_group(stars, tree);
  programs::Plain<Pull> all(stars.size());
  Walk walk(tree, effort);
  Targets targets;
  std::uint32_t begin = 0;
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const auto end = members.ends[g];
    if (begin == end) continue;
    targets.resize(end - begin);
    for (auto i = begin; i < end; ++i) {
      targets.x[i - begin] = stars[members.stars[i]].at.x;
      targets.y[i - begin] = stars[members.stars[i]].at.y;
    }
    const List& list = walk.of(tree.groups[g]);
    sum(list, targets);
    effort.pairs += list.size() * targets.x.size();
    for (auto i = begin; i < end; ++i)
      all[members.stars[i]] = {{gravity * targets.ax[i - begin], gravity * targets.ay[i - begin]},
                               static_cast<float>(list.size())};
    begin = end;
  }
  return all;
}

std::vector<Star> moved(const std::vector<Star>& stars, const Tree& tree, Effort& effort) {
  const auto pulled = pulls(stars, tree, effort);
  std::vector<Star> next = stars;
  for (std::size_t i = 0; i < next.size(); ++i) {
    Star& s = next[i];
    s.speed.x += step_length * pulled[i].by.x;
    s.speed.y += step_length * pulled[i].by.y;
    s.at.x += step_length * s.speed.x;
    s.at.y += step_length * s.speed.y;
    s.work = pulled[i].work;
  }
  return next;
}

}  // namespace galaxy
