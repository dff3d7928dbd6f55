// So many of what lies along the time, the longest of each part of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::profile {

/// Keeps everything while that is at most `most`; from then on of each of `cells` the longest. T
/// has begin, and length().
template <class T>
class Longest {
 public:
  Longest(std::size_t cells, std::size_t most)
      : cells_(std::max<std::size_t>(1, cells)), most_(most) {}

  void add(std::size_t cell, const T& item) {
    auto& kept = cells_[cell].kept;
    kept.push_back(item);
    ++seen_;
    if (seen_ <= most_) return;
    if (!full_) {
      full_ = true;
      for (auto& each : cells_) shorten(each);
    } else if (kept.size() >= 2 * each_cell()) {
      shorten(cells_[cell]);
    }
  }

  std::uint64_t seen() const { return seen_; }

  /// Those that were kept, in the order of time within each cell.
  std::vector<T> take() {
    std::vector<T> all;
    for (auto& cell : cells_) {
      if (full_) shorten(cell);
      std::sort(cell.kept.begin(), cell.kept.end(),
                [](const T& a, const T& b) { return a.begin < b.begin; });
      all.insert(all.end(), cell.kept.begin(), cell.kept.end());
    }
    return all;
  }

 private:
  struct Cell {
    std::vector<T> kept;
  };

  std::size_t each_cell() const { return std::max<std::size_t>(2, most_ / cells_.size()); }

  void shorten(Cell& cell) const {
    if (cell.kept.size() <= each_cell()) return;
    const auto end = cell.kept.begin() + static_cast<std::ptrdiff_t>(each_cell());
    std::nth_element(cell.kept.begin(), end, cell.kept.end(),
                     [](const T& a, const T& b) { return a.length() > b.length(); });
    cell.kept.erase(end, cell.kept.end());
  }

  std::vector<Cell> cells_;
  std::size_t most_;
  std::uint64_t seen_ = 0;
  bool full_ = false;
};

}  // namespace trawl::profile
