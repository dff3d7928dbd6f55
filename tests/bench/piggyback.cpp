// Nanoseconds that the load table's piggyback adds to a message, written by its sender and read by
// its receiver, and the bytes it takes: a line for each number of PEs.
#include <chrono>
#include <cstdio>

#include "rts/balance/tables.hpp"

namespace {

using trawl::balance::Load;
using trawl::balance::Tables;

/// Everybody known, some with sparks.
Tables full_tables(int self, int pes) {
  Tables tables(self, pes);
  for (int pe = 0; pe < pes; ++pe) tables.note_load(pe, Load{pe % 3 == 0 ? 5U : 0U, 1U, 1000 + pe});
  return tables;
}

void measure(int pes) {
  constexpr int rounds = 1'000'000;
  auto sender = full_tables(0, pes);
  auto receiver = full_tables(1, pes);
  std::size_t bytes = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    trawl::Writer message(256);
    sender.write_piggyback(message, 10'000 + i, Load{3, 1, 0});
    trawl::Reader reader(message.view());
    receiver.read_piggyback(reader, 0, 10'000 + i);
    bytes = message.size();
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  std::printf("%d %.1f %zu\n", pes, time.count() / rounds, bytes);
}

}  // namespace

int main() {
  for (const int pes : {2, 8, 4096}) measure(pes);
}
