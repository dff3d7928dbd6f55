// Sparks that make and drop what ordinary programs do: vectors, strings, maps; and thunks whose
// arguments and results are such. Run with --trawl:workers=1 and 2, or under mpiexec.
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <trawl/trawl.hpp>

#include "tests/bench/inside.hpp"

namespace {

long vectors(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    std::vector<long> numbers;
    for (long k = 0; k < 40; ++k) numbers.push_back(i ^ k);  // grows: seven blocks
    sum += numbers.back();
  }
  return sum;
}

long strings(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    const std::string name(static_cast<std::size_t>(20 + i % 60), 'x');
    const std::string twice = name + name;
    sum += static_cast<long>(twice.size());
  }
  return sum;
}

long maps(long n) {
  long sum = 0;
  for (long i = 0; i < n; i += 20) {
    std::map<long, long> squares;
    for (long k = 0; k < 20; ++k) squares[k * 7 % 20] = i;
    sum += static_cast<long>(squares.size());
  }
  return sum;
}

std::vector<double> next_row(const std::vector<double>& row) {
  std::vector<double> next(row.size());
  std::partial_sum(row.begin(), row.end(), next.begin());
  return next;
}

// Values in nodes: copied into memory that dies with these.
long thunks(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    const std::vector<double> ones(static_cast<std::size_t>(10 + i % 90), 1.0);
    sum += static_cast<long>(force(trawl::lazy<next_row>(ones)).back());
  }
  return sum;
}

template <long (*Work)(long)>
void sparks(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<trawl::Lazy<long>> parts;
    for (long i = 0; i < 64; ++i) parts.push_back(trawl::par(trawl::lazy<Work>(state.range(0))));
    long sum = 0;
    for (const auto& part : parts) sum += force(part);
    benchmark::DoNotOptimize(sum);
  }
}

void add(const char* name, void (*benchmark)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name, benchmark)
      ->Arg(5000)
      ->Unit(benchmark::kMillisecond)

      ->UseRealTime();
}

int root(int argc, char** argv) {
  add("vectors", sparks<vectors>);
  add("strings", sparks<strings>);
  add("maps", sparks<maps>);
  add("thunks", sparks<thunks>);
  return bench::run_all(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
