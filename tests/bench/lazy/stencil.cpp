// stencil SIDE STEPS [plain]: heat on SIDE x SIDE cells (a multiple of 250, 50 if it is less), by
// lazy blocks. A block's next state needs its own and its four neighbours' edges. Prints the mean
// of the squares. `plain`: two arrays and three loops.
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

using Numbers = std::vector<double>;

/// Its edges go to its neighbours; its cells stay where they were made.
struct Block {
  Lazy<Numbers> cells, north, south, west, east;
};
using Grid = std::vector<std::vector<Lazy<Block>>>;

double at_start(std::size_t i, std::size_t j) {
  return static_cast<double>((i * 31 + j * 17) % 101);
}

/// The new row of a cell's old one and its neighbours.
void step_row(std::size_t size, const double* north, const double* row, const double* south,
              double west, double east, double* made) {
  const auto cell = [=](std::size_t j, double left, double right) {
    return 0.5 * row[j] + 0.125 * ((north[j] + south[j]) + (left + right));
  };
  made[0] = cell(0, west, row[1]);
  for (std::size_t j = 1; j + 1 < size; ++j) made[j] = cell(j, row[j - 1], row[j + 1]);
  made[size - 1] = cell(size - 1, row[size - 2], east);
}

double sum_of_squares(const Numbers& cells) {
  double sum = 0;
  for (const double x : cells) sum += x * x;
  return sum;
}

// ---- blocks ------------------------------------------------------------------------------------

/// Every so many-th of the cells.
Numbers edge(const Numbers& cells, std::size_t size, std::size_t from, std::size_t stride) {
  Numbers edge;
  for (std::size_t k = 0; k < size; ++k) edge.push_back(cells[from + k * stride]);
  return edge;
}

Block block_of(Numbers cells, std::size_t size) {
  const std::size_t last = size - 1;
  const Lazy<Numbers> north(edge(cells, size, 0, 1)), south(edge(cells, size, size * last, 1)),
      west(edge(cells, size, 0, size)), east(edge(cells, size, last, size));
  return {Lazy<Numbers>(std::move(cells)), north, south, west, east};
}

Numbers first_cells(std::size_t size, std::size_t i, std::size_t j) {
  Numbers cells;
  for (std::size_t k = 0; k < size * size; ++k)
    cells.push_back(at_start(i * size + k / size, j * size + k % size));
  return cells;
}

Block first_block(std::size_t size, std::size_t i, std::size_t j) {
  return block_of(first_cells(size, i, j), size);
}

Block step(Lazy<Numbers> cells, Lazy<Numbers> north, Lazy<Numbers> south, Lazy<Numbers> west,
           Lazy<Numbers> east) {
  const Numbers& old = force(cells);
  const Numbers& left = force(west);
  const Numbers& right = force(east);
  const std::size_t size = left.size();
  const double* const above = force(north).data();
  const double* const below = force(south).data();
  const auto new_cells = [&](std::span<double> made) {
    for (std::size_t i = 0; i < size; ++i) {
      const double* row = &old[i * size];
      step_row(size, i > 0 ? row - size : above, row, i + 1 < size ? row + size : below, left[i],
               right[i], &made[i * size]);
    }
  };
  return block_of(trawl::numbers<double>(old.size(), new_cells), size);
}

Grid next(const Grid& grid, std::size_t size) {
  const std::size_t count = grid.size();
  const Lazy<Numbers> cold(Numbers(size, 0.0));
  Grid made(count, std::vector<Lazy<Block>>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      made[i][j] =
          trawl::lazy<step>(force(grid[i][j]).cells, i > 0 ? force(grid[i - 1][j]).south : cold,
                            i + 1 < count ? force(grid[i + 1][j]).north : cold,
                            j > 0 ? force(grid[i][j - 1]).east : cold,
                            j + 1 < count ? force(grid[i][j + 1]).west : cold);
  return made;
}

double by_blocks(std::size_t side, int steps) {
  const std::size_t size = side < 250 ? 50 : 250;
  const std::size_t count = side / size;
  Grid grid(count, std::vector<Lazy<Block>>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) grid[i][j] = trawl::lazy<first_block>(size, i, j);
  for (int k = 0; k < steps; ++k) {
    Grid following = next(grid, size);
    for (const auto& row : following) trawl::apply(row, trawl::par_list(trawl::rseq));
    for (const auto& row : following) trawl::apply(row, trawl::seq_list(trawl::rseq));
    grid = std::move(following);
  }
  double sum = 0;
  for (const auto& row : grid)
    for (const double part : trawl::force_all(trawl::lazy_map<[](Lazy<Block> block) {
           return sum_of_squares(force(force(block).cells));
         }>(row)))
      sum += part;
  return sum;
}

// ---- plain -------------------------------------------------------------------------------------

double plain(std::size_t side, int steps) {
  Numbers grid = first_cells(side, 0, 0);
  Numbers made(grid.size());
  const Numbers cold(side, 0.0);
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < side; ++i) {
      const double* row = &grid[i * side];
      step_row(side, i > 0 ? row - side : cold.data(), row, i + 1 < side ? row + side : cold.data(),
               0, 0, &made[i * side]);
    }
    std::swap(grid, made);
  }
  return sum_of_squares(grid);
}

int root(int argc, char** argv) {
  const auto sizes = lazy_bench::sizes(argc, argv, {"SIDE", "STEPS"});
  const auto side = static_cast<std::size_t>(sizes[0]);
  const int steps = sizes[1];
  return lazy_bench::print_timed([=] {
    const double sum = argc > 3 ? plain(side, steps) : by_blocks(side, steps);
    char text[40];
    std::snprintf(text, sizeof text, "%.6f", sum / static_cast<double>(side * side));
    return std::string(text);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
