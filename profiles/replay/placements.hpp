// Thunks that a task of a replay places one after the other: they start as those of a skeleton do,
// all for one PE together.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/replay/carried.hpp"

namespace replay {

class Placements {
 public:
  bool empty() const { return thunks_.empty(); }
  /// In the order of their positions, more or less.
  void add(Number known_at, trawl::Lazy<Large> thunk, Placing placing, Position position) {
    thunks_.push_back({known_at, std::move(thunk), placing, position});
  }
  /// Writes into `known` in which groups they are.
  void start(std::vector<Thunk>& known);

 private:
  struct Placed {
    Number known_at;  // where its maker knows it
    trawl::Lazy<Large> thunk;
    Placing placing;
    Position position;
  };
  trawl::Place place_of(Position position);
  /// By PE, indices of thunks_.
  std::vector<std::pair<trawl::Place, std::vector<std::size_t>>> by_place();

  std::vector<Placed> thunks_;
  std::unordered_map<Number, std::vector<trawl::Place>> places_;  // by the number of shards
};

}  // namespace replay
