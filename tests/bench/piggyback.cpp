// What the load table's piggyback adds to a message, written by its sender and read by its
// receiver, among so many PEs; the bytes it takes are a counter.
#include <benchmark/benchmark.h>

#include "rts/balance/tables.hpp"

namespace {

using trawl::balance::Load;
using trawl::balance::Tables;

/// Everybody known, some with sparks.
Tables full_tables(int self, int pes) {
  Tables tables(self, pes);
  for (int pe = 0; pe < pes; ++pe)
    tables.note_load(pe, {.sparks = pe % 3 == 0 ? 5U : 0U, .runnable = 1, .measured = 1000 + pe});
  return tables;
}

void tables(benchmark::State& state) {
  const auto pes = static_cast<int>(state.range(0));
  auto sender = full_tables(0, pes);
  auto receiver = full_tables(1, pes);
  std::size_t bytes = 0;
  trawl::Nanos now = 10'000;
  for (auto _ : state) {
    trawl::Writer message(256);
    sender.write_piggyback(message, ++now, {.sparks = 3, .runnable = 1}, 1);
    trawl::Reader reader(message.view());
    receiver.read_piggyback(reader, 0, now);
    bytes = message.size();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

BENCHMARK(tables)->Arg(2)->Arg(8)->Arg(4096);

}  // namespace

BENCHMARK_MAIN();
