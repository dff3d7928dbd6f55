// queens N: in how many ways N queens can stand on an N x N board, none attacking another.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"

namespace {

constexpr int most_queens = 20;

/// The first rows of a board, a queen in each.
struct Board {
  std::int8_t size;
  std::int8_t rows;
  std::array<std::int8_t, most_queens> column;  // of the queen in each row
};

/// May the next row's queen stand in this column?
bool is_free(const Board& board, int column) {
  for (int row = 0; row < board.rows; ++row) {
    const int aside = board.column[static_cast<std::size_t>(row)] - column;
    const int above = board.rows - row;
    if (aside == 0 || aside == above || aside == -above) return false;
  }
  return true;
}

Board with_queen(Board board, int column) {
  const int row = board.rows++;
  board.column[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
  return board;
}

long solutions_sequential(const Board& board) {
  if (board.rows == board.size) return 1;
  long count = 0;
  for (int column = 0; column < board.size; ++column)
    if (is_free(board, column)) count += solutions_sequential(with_queen(board, column));
  return count;
}

// ---- in parallel -------------------------------------------------------------------------------

long solutions(const Board& board, int cutoff);

/// Those with the next row's queen in this column or further right.
long solutions_from(const Board& board, int column, int cutoff) {
  while (column < board.size && !is_free(board, column)) ++column;
  if (column == board.size) return 0;
  auto here = trawl::spawn<solutions>(with_queen(board, column), cutoff);
  const long further = solutions_from(board, column + 1, cutoff);
  return here.sync() + further;
}

long solutions(const Board& board, int cutoff) {
  if (board.rows == board.size) return 1;
  if (board.rows >= cutoff) return solutions_sequential(board);
  return solutions_from(board, 0, cutoff);
}

/// The columns of the first row are a list, to show how far we are.
long all_solutions(const Board& empty, int cutoff) {
  std::vector<trawl::Lazy<long>> counts;
  counts.reserve(static_cast<std::size_t>(empty.size));
  for (int column = 0; column < empty.size; ++column)
    counts.push_back(trawl::lazy<solutions>(with_queen(empty, column), cutoff));
  if (cutoff > 0) trawl::apply(counts, trawl::par_list(trawl::rseq));

  long total = 0;
  programs::Progress progress("columns of the first row", counts.size());
  for (const auto& count : counts) {
    total += trawl::force(count);
    progress.advance_in(counts);
  }
  return total;
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  int n = 0;
  int cutoff = most_queens;
  programs::Command command("queens", "In how many ways N queens can stand on an N x N board.");
  command.add("N", n, "queens", 1, most_queens);
  command.add("--cutoff", cutoff, "rows from the top in which columns are tried in parallel", 0,
              most_queens);
  const auto empty = [&n] { return Board{static_cast<std::int8_t>(n), 0, {}}; };
  return command.run(
      argc, argv, [&] { return all_solutions(empty(), cutoff); },
      [&] { return solutions_sequential(empty()); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
