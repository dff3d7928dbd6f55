// heat: how a plate warms up that is hot on one side, by finite differences: a stencil over rows.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <trawl/checkpoint.hpp>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/with_file.hpp"

namespace {

using Row = std::vector<double>;

/// The left side is hot and stays so; a wave of warmth lies over the rest.
Row first_row(std::size_t row, std::size_t columns) {
  Row cells(columns);
  for (std::size_t j = 0; j < columns; ++j)
    cells[j] = j == 0 ? 100 : 10 * std::sin(0.01 * static_cast<double>(row * j));
  return cells;
}

/// Each cell is the mean of the four around it; the sides stay.
Row next_row(const Row& above, const Row& row, const Row& below) {
  return trawl::numbers<double>(row.size(), [&](std::span<double> next) {
    next.front() = row.front();
    next.back() = row.back();
    for (std::size_t j = 1; j + 1 < row.size(); ++j)
      next[j] = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
  });
}

/// In billionths of a degree: sums of these are the same in any order.
std::int64_t warmth(const Row& row) {
  std::int64_t sum = 0;
  for (const double cell : row) sum += std::llround(1e9 * cell);
  return sum;
}

struct Plate {
  std::size_t rows = 1000;
  std::size_t columns = 1000;
  std::size_t steps = 100;
  std::string checkpoint{};  // a file; none: empty
  std::size_t every = 1000;  // steps
};

std::int64_t warmth_sequential(const Plate& plate) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < plate.rows; ++i) rows.push_back(first_row(i, plate.columns));
  for (std::size_t step = 0; step < plate.steps; ++step) {
    std::vector<Row> next;
    next.reserve(plate.rows);
    for (std::size_t i = 0; i < plate.rows; ++i)
      next.push_back(
          next_row(rows[i == 0 ? 0 : i - 1], rows[i], rows[std::min(i + 1, plate.rows - 1)]));
    rows = std::move(next);
  }
  std::int64_t sum = 0;
  for (const auto& row : rows) sum += warmth(row);
  return sum;
}

// ---- in parallel -------------------------------------------------------------------------------

Row warmed(const trawl::Around<Row>& around) {
  return next_row(around[-1], around[0], around[1]);
}

trawl::Dist<Row> step(const trawl::Dist<Row>& plate) {
  return trawl::stencil<warmed>(plate);
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return a + b;
}

/// From where an earlier run has got to, and saved every so often.
trawl::Dist<Row> warm_with_checkpoints(const Plate& plate) {
  std::size_t rows = plate.rows;
  std::size_t columns = plate.columns;
  std::size_t done = 0;
  trawl::Dist<Row> cells;
  programs::check_checkpoint(plate.checkpoint);
  if (!programs::with_file(
          [&] { return trawl::restart(plate.checkpoint, rows, columns, done, cells); }))
    cells = trawl::generate<first_row>(plate.rows, plate.columns);
  if (rows != plate.rows || columns != plate.columns || done > plate.steps)
    throw programs::BadInput(
        fmt::format("{} is of {} rows and {} columns after {} steps, and wanted are {} rows and {} "
                    "columns after {} steps in all",
                    plate.checkpoint, rows, columns, done, plate.rows, plate.columns, plate.steps));
  while (done < plate.steps) {
    const auto steps = std::min(plate.every, plate.steps - done);
    cells = trawl::iterate<step>(cells, steps);
    done += steps;
    programs::with_file([&] { trawl::checkpoint(plate.checkpoint, rows, columns, done, cells); });
  }
  return cells;
}

std::int64_t warmth_parallel(const Plate& plate) {
  const auto warm =
      plate.checkpoint.empty()
          ? trawl::iterate<step>(trawl::generate<first_row>(plate.rows, plate.columns), plate.steps)
          : warm_with_checkpoints(plate);
  return trawl::force(trawl::reduce<warmth, plus>(warm));
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  constexpr std::size_t most = 1'000'000;
  Plate plate;
  programs::Command command("heat",
                            "How warm a plate is, in billionths of a degree, all cells "
                            "together, that is hot on one side.");
  command.add("--rows", plate.rows, "cells from top to bottom", std::size_t{1}, most);
  command.add("--columns", plate.columns, "cells from left to right", std::size_t{1}, most);
  command.add("--steps", plate.steps, "in each, every cell becomes the mean of those around it",
              std::size_t{0}, most);
  const auto checkpoint = command
                              .add_text("--checkpoint", plate.checkpoint,
                                        "go on from this file, if it is there, and save to it")
                              .not_sequential();
  command.add("--every", plate.every, "steps between two checkpoints", std::size_t{1}, most)
      .needs(checkpoint);
  return command.run(
      argc, argv, [&] { return warmth_parallel(plate); }, [&] { return warmth_sequential(plate); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
