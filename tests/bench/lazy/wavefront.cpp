// wavefront LENGTH [plain]: the edit distance of two random texts of that length, by lazy blocks of
// 500 x 500: a block needs the one above and the one to the left. `plain`: without Trawl's blocks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

constexpr std::size_t side = 500;

std::string random_text(std::size_t length, std::uint64_t state) {
  std::string text;
  while (text.size() < length) {
    state = (state * 1103515245 + 12345) % 2147483648;
    text += "acgt"[state / 65536 % 4];
  }
  return text;
}

/// What its neighbours need of a block: the distances in its last row and in its last column, each
/// with the corner before it.
struct Edges {
  std::vector<int> bottom;
  std::vector<int> right;
};

Edges distances(const std::string& down, const std::string& across, std::vector<int> row,
                const std::vector<int>& left) {
  std::vector<int> right{row.back()};
  for (std::size_t i = 0; i < down.size(); ++i) {
    int diagonal = row[0];
    row[0] = left[i + 1];
    for (std::size_t j = 0; j < across.size(); ++j) {
      const int replaced = diagonal + (down[i] == across[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(row[j], diagonal) + 1);
    }
    right.push_back(row.back());
  }
  return {row, right};
}

std::vector<int> count_up(std::size_t from, std::size_t size) {
  std::vector<int> counted;
  for (std::size_t i = 0; i <= size; ++i) counted.push_back(static_cast<int>(from + i));
  return counted;
}

Edges block(const std::string& down, const std::string& across, Lazy<Edges> above,
            Lazy<Edges> before) {
  return distances(down, across, force(above).bottom, force(before).right);
}

int by_blocks(const std::string& a, const std::string& b) {
  std::vector<Lazy<Edges>> row;  // above the first one
  for (std::size_t j = 0; j < b.size(); j += side)
    row.push_back(Lazy<Edges>({count_up(j, std::min(side, b.size() - j)), {}}));
  std::vector<Lazy<Edges>> all;
  for (std::size_t i = 0; i < a.size(); i += side) {
    const std::string down = a.substr(i, side);
    Lazy<Edges> before({{}, count_up(i, down.size())});
    for (std::size_t j = 0; j < row.size(); ++j) {
      before = trawl::lazy<block>(down, b.substr(j * side, side), row[j], before);
      row[j] = before;
      all.push_back(before);
    }
  }
  trawl::apply(all, trawl::par_list(trawl::rseq));
  return force(all.back()).bottom.back();
}

int plain(const std::string& a, const std::string& b) {
  return distances(a, b, count_up(0, b.size()), count_up(0, a.size())).bottom.back();
}

int root(int argc, char** argv) {
  const auto length = static_cast<std::size_t>(lazy_bench::sizes(argc, argv, {"LENGTH"})[0]);
  return lazy_bench::print_timed([=] {
    const std::string a = random_text(length, 1);
    const std::string b = random_text(length, 2);
    return argc > 2 ? plain(a, b) : by_blocks(a, b);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
