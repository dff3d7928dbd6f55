#include "profiles/report/shards.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace trawl::profile {
namespace {

constexpr double second = 1e9;

struct Sums {
  std::uint64_t threads = 0, pieces = 0;
  const FunctionAudit* longest = nullptr;
  const FunctionAudit* root = nullptr;
  std::map<int, double> of_pes;  // that pieces ran
};

Sums sum_up(const std::vector<FunctionAudit>& functions) {
  Sums sums;
  for (const auto& function : functions) {
    sums.threads += function.ran_threads;
    if (function.code == root_code) sums.root = &function;
    if (!function.is_placed) continue;
    sums.pieces += function.ran_threads;
    if (sums.longest == nullptr || function.ran > sums.longest->ran) sums.longest = &function;
    for (const auto& [pe, ran] : function.ran_on) sums.of_pes[pe] += ran / second;
  }
  return sums;
}

}  // namespace

Pieces judge_pieces(const std::vector<FunctionAudit>& functions, int pes, double seconds) {
  const auto sums = sum_up(functions);
  Pieces pieces;
  if (sums.longest == nullptr || pes < 2 || seconds <= 0) return pieces;
  pieces.lead = 2 * sums.pieces > sums.threads;
  pieces.function = sums.longest->called;
  pieces.mean = sums.longest->mean() / second;
  const int root_pe = sums.root == nullptr ? -1 : sums.root->longest_pe;
  const int others = sums.root == nullptr ? pes : pes - 1;
  double there = 0;
  for (const auto& [pe, ran] : sums.of_pes) {
    if (pe == root_pe) {
      there = ran;
      continue;
    }
    pieces.each += ran / others;
    if (ran <= pieces.its) continue;
    pieces.its = ran;
    pieces.busiest = pe;
  }
  if (there > uneven_from * pieces.each && there > pieces.its) {
    pieces.its = there;
    pieces.busiest = root_pe;
    pieces.is_roots = true;
  } else if (sums.root != nullptr) {
    pieces.root_alone = std::max(0.0, sums.root->ran / second + there - pieces.each) / seconds;
  }
  return pieces;
}

}  // namespace trawl::profile
