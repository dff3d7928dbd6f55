// What a message costs, on two PEs: beside the same by plain MPI, in the same two processes, before
// Trawl takes over. From run to run plain MPI changes more than from one minute to the next.
//
// Benchmarks whose name begins with mpi/ run on rank 0 before trawl::run, all others inside of it.
// Results come as lines: name, seconds (of an iteration, or what a benchmark counts as "each").
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <trawl/trawl.hpp>

#include "rts/sched/workers.hpp"

namespace bench {

constexpr int echo_tag = 0;
constexpr int stop_tag = 1;

/// An iteration: 8 bytes there and back.
inline void round_trip(benchmark::State& state) {
  long word = 0;
  for (auto _ : state) {
    MPI_Send(&word, 1, MPI_LONG, 1, echo_tag, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_LONG, 1, echo_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Rank 1: answers every number that rank 0 sends, until it is told to stop.
template <class Answer>
void serve(Answer answer) {
  while (true) {
    long word = 0;
    MPI_Status status;
    MPI_Recv(&word, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == stop_tag) return;
    answer(word);
  }
}

inline void echo() {
  serve([](long word) { MPI_Send(&word, 1, MPI_LONG, 0, echo_tag, MPI_COMM_WORLD); });
}

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Lines final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto each = run.counters.find("each");
      const double seconds = each != run.counters.end()
                                 ? each->second.value
                                 : run.real_accumulated_time / static_cast<double>(run.iterations);
      std::printf("%s %.9f\n", run.run_name.function_name.c_str(), seconds);
    }
    std::fflush(stdout);
  }
};

/// Waits as PE 0 while PE 1 works, polling as an idle worker does, so that both are awake.
template <class T>
const T& await(const trawl::Lazy<T>& work) {
  auto& worker = trawl::sched::worker_here();
  while (!work.evaluated()) {
    worker.host().poll(&worker);
    if (!work.evaluated()) worker.listen();
  }
  return trawl::force(work);
}

inline int run_benchmarks() {
  trawl::sched::worker_here().workers().events().begin_polling();  // as it polls by itself
  Lines lines;
  benchmark::RunSpecifiedBenchmarks(&lines, nullptr, "-^mpi/");
  return 0;
}

/// The main function of such a benchmark. `rank_1`: what that does for the benchmarks of plain MPI,
/// which are left out if the last argument is without-mpi: trawl-run starts no MPI.
template <void rank_1()>
int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argv[argc - 1] == std::string_view("without-mpi"))
    return trawl::run<run_benchmarks>(argc, argv);
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    Lines lines;
    benchmark::RunSpecifiedBenchmarks(&lines, nullptr, "^mpi/");
    const long word = 0;
    MPI_Send(&word, 1, MPI_LONG, 1, stop_tag, MPI_COMM_WORLD);
  } else {
    rank_1();
  }
  return trawl::run<run_benchmarks>(argc, argv);
}

}  // namespace bench
