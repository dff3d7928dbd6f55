// Google Benchmark inside of a Trawl run: the root of such a program.
#pragma once

#include <benchmark/benchmark.h>

namespace bench {

inline int run_all(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
