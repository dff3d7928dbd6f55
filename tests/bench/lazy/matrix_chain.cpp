// matrix_chain MATRICES [plain]: the fewest multiplications that their product takes; a thunk for
// each stretch of the chain, in a table that all of them share. `plain`: an array and three loops.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

/// Of the i-th matrix; its columns are the rows of the next.
long rows_of(std::size_t i) {
  return static_cast<long>(i * 7919 % 97 + 3);
}

using Costs = std::vector<Lazy<long>>;   // of all stretches of one length, by their first matrix
using Table = std::vector<Lazy<Costs>>;  // by length, from 1

/// Of matrices first, ..., first + length - 1, `shorter` having those of all shorter stretches.
long cost(Lazy<Table> shorter, std::size_t first) {
  const Table& table = force(shorter);
  const std::size_t length = table.size() + 1;
  long best = std::numeric_limits<long>::max();
  for (std::size_t cut = 1; cut < length; ++cut) {
    const long left = force(force(table[cut - 1])[first]);
    const long right = force(force(table[length - cut - 1])[first + cut]);
    const long product = rows_of(first) * rows_of(first + cut) * rows_of(first + length);
    best = std::min(best, left + right + product);
  }
  return best;
}

long by_thunks(std::size_t matrices) {
  Table table{Lazy<Costs>(Costs(matrices, Lazy<long>(0)))};
  for (std::size_t length = 2; length <= matrices; ++length) {
    const Lazy<Table> shorter(table);
    Costs costs;
    for (std::size_t first = 0; first + length <= matrices; ++first)
      costs.push_back(trawl::lazy<cost>(shorter, first));
    trawl::apply(costs, trawl::par_list_chunk(32, trawl::rseq));
    table.push_back(Lazy<Costs>(costs));
  }
  return force(force(table.back())[0]);
}

long plain(std::size_t matrices) {
  std::vector<std::vector<long>> table{std::vector<long>(matrices, 0)};
  for (std::size_t length = 2; length <= matrices; ++length) {
    std::vector<long> costs;
    for (std::size_t first = 0; first + length <= matrices; ++first) {
      long best = std::numeric_limits<long>::max();
      for (std::size_t cut = 1; cut < length; ++cut)
        best = std::min(best, table[cut - 1][first] + table[length - cut - 1][first + cut] +
                                  rows_of(first) * rows_of(first + cut) * rows_of(first + length));
      costs.push_back(best);
    }
    table.push_back(costs);
  }
  return table.back()[0];
}

int root(int argc, char** argv) {
  const auto matrices = static_cast<std::size_t>(lazy_bench::sizes(argc, argv, {"MATRICES"})[0]);
  return lazy_bench::print_timed([=] { return argc > 2 ? plain(matrices) : by_thunks(matrices); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
