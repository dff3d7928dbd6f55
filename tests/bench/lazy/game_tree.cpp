// game_tree DEPTH: four in a row on 4 x 4 squares, looked ahead so far. The tree of all games is
// lazy, and alpha-beta looks at what it has to (Hughes 1989). Prints the value for who begins, and
// how many positions were looked at.
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::consume;
using trawl::force;
using trawl::Lazy;

// ---- the game ----------------------------------------------------------------------------------

struct Board {
  std::uint32_t mine = 0;  // of who is to move: a bit for each square
  std::uint32_t theirs = 0;
};

constexpr int squares = 16;
constexpr std::array<std::uint32_t, 10> lines = {0x000f, 0x00f0, 0x0f00, 0xf000, 0x1111,
                                                 0x2222, 0x4444, 0x8888, 0x8421, 0x1248};

bool is_lost(const Board& board) {
  for (const auto line : lines)
    if ((board.theirs & line) == line) return true;
  return false;
}

/// The stones in lines that are still open to me, less those in lines that are open to them.
int merit(const Board& board) {
  int sum = 0;
  for (const auto line : lines) {
    if ((board.theirs & line) == 0) sum += std::popcount(board.mine & line);
    if ((board.mine & line) == 0) sum -= std::popcount(board.theirs & line);
  }
  return sum;
}

// ---- the tree ----------------------------------------------------------------------------------

struct Moves;

struct Tree {
  Board board;
  Lazy<Moves> moves;
};

/// A list; the empty one has no rest.
struct Moves {
  Tree first;
  Lazy<Moves> rest;
};

/// The moves to this square and those behind it.
Moves moves_from(Board board, int square) {
  const auto taken = board.mine | board.theirs;
  while (square < squares && (taken >> square & 1) != 0) ++square;
  if (square == squares) return {};
  const Board next{board.theirs, board.mine | std::uint32_t{1} << square};
  return {{next, trawl::lazy<moves_from>(next, 0)}, trawl::lazy<moves_from>(board, square + 1)};
}

// ---- alpha-beta --------------------------------------------------------------------------------

constexpr int won = 1000;

struct Found {
  int value;
  long positions;

  void consider(const Found& reply) {
    value = std::max(value, -reply.value);
    positions += reply.positions;
  }
};

/// The tree is used up.
Found alpha_beta(Tree&& tree, int depth, int alpha, int beta) {
  if (is_lost(tree.board)) return {-won, 1};
  if (depth == 0) return {merit(tree.board), 1};
  Found best{alpha, 1};
  while (best.value < beta) {
    Moves moves = consume(std::move(tree.moves));
    if (!moves.rest) break;
    tree.moves = moves.rest;
    best.consider(alpha_beta(std::move(moves.first), depth - 1, -beta, -best.value));
  }
  return best;
}

Found search_reply(Tree tree, int depth, int alone, int alpha, int beta);

/// The first move alone; then the others beside each other, within the bounds that it has given.
Found search(Tree&& tree, int depth, int alone, int alpha, int beta) {
  if (depth <= alone || is_lost(tree.board)) return alpha_beta(std::move(tree), depth, alpha, beta);
  Found best{alpha, 1};
  Moves moves = consume(std::move(tree.moves));
  if (!moves.rest) return best;
  best.consider(search(std::move(moves.first), depth - 1, alone, -beta, -alpha));
  if (best.value >= beta) return best;

  std::vector<Lazy<Found>> replies;
  for (;;) {
    moves = consume(std::move(moves.rest));
    if (!moves.rest) break;
    replies.push_back(trawl::lazy<search_reply>(moves.first, depth - 1, alone, -beta, -best.value));
  }
  trawl::apply(replies, trawl::par_list(trawl::rseq));
  for (const auto& reply : replies) {
    best.consider(force(reply));
    if (best.value >= beta) break;
  }
  return best;
}

Found search_reply(Tree tree, int depth, int alone, int alpha, int beta) {
  return search(std::move(tree), depth, alone, alpha, beta);
}

int root(int argc, char** argv) {
  const int depth = lazy_bench::sizes(argc, argv, {"DEPTH"})[0];
  return lazy_bench::print_timed([depth] {
    const Board empty;
    const Found found =
        search({empty, trawl::lazy<moves_from>(empty, 0)}, depth, depth - 3, -won, won);
    return std::to_string(found.value) + ' ' + std::to_string(found.positions);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
