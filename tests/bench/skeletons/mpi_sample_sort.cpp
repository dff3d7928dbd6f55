// Sample sort of numbers, by hand. mpi_sample_sort [N [ROUNDS]]
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/mpi.hpp"

namespace {

using Numbers = std::vector<std::uint64_t>;
constexpr std::size_t samples = 64;  // of a rank

/// The last numbers of all ranks' parts but the last.
Numbers splitters(const Numbers& sorted, std::size_t ranks) {
  Numbers own(samples);
  for (std::size_t i = 0; i < samples; ++i)
    own[i] = sorted.empty() ? 0 : sorted[(sorted.size() - 1) * (i + 1) / samples];
  Numbers all(samples * ranks);
  MPI_Allgather(own.data(), samples, MPI_UINT64_T, all.data(), samples, MPI_UINT64_T,
                MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  Numbers cuts;
  for (std::size_t r = 1; r < ranks; ++r) cuts.push_back(all[samples * r - 1]);
  return cuts;
}

std::vector<int> begins(const std::vector<int>& counts) {
  std::vector<int> all(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) all[i] = all[i - 1] + counts[i - 1];
  return all;
}

/// Runs in order, the first of `counts[0]` numbers.
void merge(Numbers& numbers, const std::vector<int>& counts) {
  auto ends = begins(counts);
  ends.push_back(ends.back() + counts.back());
  for (std::size_t step = 1; step < counts.size(); step *= 2)
    for (std::size_t i = 0; i + step < counts.size(); i += 2 * step)
      std::inplace_merge(numbers.begin() + ends[i], numbers.begin() + ends[i + step],
                         numbers.begin() + ends[std::min(i + 2 * step, counts.size())]);
}

Numbers sample_sort(Numbers numbers, std::size_t ranks) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<int> send;
  auto from = numbers.begin();
  for (const auto cut : splitters(numbers, ranks)) {
    const auto to = std::upper_bound(from, numbers.end(), cut);
    send.push_back(static_cast<int>(to - from));
    from = to;
  }
  send.push_back(static_cast<int>(numbers.end() - from));
  std::vector<int> receive(ranks);
  MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const auto send_begins = begins(send);
  const auto receive_begins = begins(receive);
  Numbers mine(static_cast<std::size_t>(receive_begins.back() + receive.back()));
  MPI_Alltoallv(numbers.data(), send.data(), send_begins.data(), MPI_UINT64_T, mine.data(),
                receive.data(), receive_begins.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  merge(mine, receive);
  return mine;
}

/// The same if, and only if, all numbers are where they belong: a sum over numbers and places.
std::uint64_t answer(const Numbers& sorted) {
  const std::uint64_t count = sorted.size();
  std::uint64_t before = 0;
  MPI_Exscan(&count, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) sum += sorted[i] * (before + i);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto n = bench::word(argc, argv, 1, std::size_t{1} << 23U);
  const auto ranks = bench::ranks();
  bench::measure(
      bench::word(argc, argv, 2, 5),
      [&] {
        Numbers numbers;
        for (auto i = ranks.begin(n); i < ranks.end(n); ++i) numbers.push_back(bench::number(i));
        return numbers;
      },
      [&](Numbers& numbers) { return sample_sort(std::move(numbers), ranks.count); }, answer);
  MPI_Finalize();
}
