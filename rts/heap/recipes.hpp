// From what distributed data are made again where there is no copy of them yet, without what they
// were made from being kept: see "Recipes" in rts/recover/README.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/heap/weak.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// Of the steps of skeletons that this PE has placed. Guarded by its PE's lock.
class Recipes {
 public:
  /// Makes a thunk that evaluates others, where it is placed (the skeletons' way to send several at
  /// once).
  using GroupOf = Node* (*)(std::span<Node* const> steps);
  void make_groups_by(GroupOf maker) noexcept { group_of_ = maker; }
  GroupOf group_of() const noexcept { return group_of_; }
  /// Whose turn it is to make again what a dead PE had.
  std::size_t next_turn() noexcept { return turns_++; }

  /// A thunk that nobody evaluates unless `step` is lost; nullptr: none is known.
  Node* of(Node* step) const;

  /// `step`, not evaluated and known to nobody else, gets one: a twin, in whose arguments recipes
  /// stand for all that have one. Without memory, or where it can't be copied, there is none.
  /// `pe`: where the step is placed. Not where steps are light.
  void note(Node* step, int pe) noexcept;
  /// From now on are they? To keep what they are made from costs little then, until there are
  /// copies, and saves making it again.
  void set_light(bool light) noexcept { light_ = light; }
  bool light() const noexcept { return light_; }
  /// Where what a recipe is for was placed; -1: it is none.
  int place_of(Node* recipe) const;
  /// There is a copy of `step`, or it can't be lost: from now on what is made from it is made again
  /// from itself, as `source` makes it, a thunk with the same result.
  void stays(Node* step, Node* source);
  void forget(Node* step);

  /// After a collection: of steps that are dead.
  void sweep();

 private:
  struct Recipe;
  const Recipe* find(Node* node) const;
  Node* instead_of(Node* node, int depth);
  void remember(Node* node, Node* recipe, int pe = -1);

  struct Recipe {
    Recipe(Node* its, Node* thunk, int at) : node(its), makes(thunk), pe(at) {}
    // Who comes upon it in an erased part of the table, as the collector does, finds nothing.
    ~Recipe() {
      makes = nullptr;
      asm volatile("" : : "r"(this) : "memory");
    }
    Recipe(const Recipe&) = delete;
    Recipe& operator=(const Recipe&) = delete;

    Weak node;
    Node* makes;  // nullptr: it stays what it is
    int pe;       // of a recipe itself
  };

  boost::unordered_flat_map<Hidden, std::unique_ptr<Recipe>> of_;
  GroupOf group_of_ = nullptr;
  std::size_t turns_ = 0;
  bool light_ = false;
};

}  // namespace trawl::heap
