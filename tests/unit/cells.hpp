// For tests of the heap's protocol: values that refer to others, some with long arrays.
#pragma once

#include <cstddef>
#include <vector>

#include <trawl/lazy.hpp>

namespace trawl::test {

struct Cell {
  long value = 0;
  Lazy<Cell> left;
  Lazy<Cell> right;
  std::vector<long> ballast{};  // long enough to be lent
};

inline std::size_t ballast_of(long value) {
  return value % 40 == 1 ? 10'000 : 40'000;  // the latter takes long to read
}

inline Cell make_cell(long value, Lazy<Cell> left, Lazy<Cell> right) {
  Cell cell{3 * value, left, right};
  if (value % 20 == 1) cell.ballast.assign(ballast_of(value), value);
  return cell;
}

}  // namespace trawl::test
