// What tests of the collector share: programs with much garbage, and how much is alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"
#include "rts/simulate.hpp"

namespace trawl::test {

/// Collects at every n-th allocation of a node.
class Torture {
 public:
  explicit Torture(unsigned every) { heap::set_torture(every); }
  ~Torture() { heap::set_torture(0); }
  Torture(const Torture&) = delete;
  Torture& operator=(const Torture&) = delete;
};

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

inline Tree grow(long from, long to) {
  Simulation::work(2000);
  if (from == to) return {from, {}, {}};
  const long middle = (from + to) / 2;
  return {0, lazy<grow>(from, middle), lazy<grow>(middle + 1, to)};
}

inline long sum(Lazy<Tree> at) {
  const Tree tree = force(at);
  if (!tree.left) return tree.value;
  auto left = spawn<sum>(tree.left);
  const long right = sum(tree.right);
  return left.sync() + right;
}

inline long nfib(long n) {
  Simulation::work(1000);
  if (n < 2) return 1;
  const auto x = par(lazy<nfib>(n - 1));
  const long y = nfib(n - 2);
  return force(x) + y + 1;
}

inline std::map<long, std::vector<Lazy<long>>> table(long n) {
  std::map<long, std::vector<Lazy<long>>> rows;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j) rows[i].push_back(par(lazy<nfib>(j % 4)));
  return rows;
}

inline long fails_deep(long n) {
  if (n == 0) throw std::out_of_range("at the bottom");
  return force(par(lazy<fails_deep>(n - 1))) + 1;
}

inline Simulation::Config grid_of(int pes, std::uint64_t seed) {
  Simulation::Config config;
  config.net.pes = pes;
  config.net.seed = seed;
  config.net.jitter = 30'000;
  config.net.reorder = true;
  config.options.packet_size = 300;
  config.options.thunks_per_packet = 3;
  return config;
}

/// So that what nothing refers to has died, and so has what it referred to.
[[gnu::noinline]] inline void collect_well() {
  for (int i = 0; i < 4; ++i) {
    heap::clear_finished_calls<4096>();
    heap::collect();
    heap::run_finalisers();
  }
}

/// After collections, with nothing on the stack that was left there.
inline std::size_t live_bytes() {
  collect_well();
  return heap::collector_statistics().live_bytes;
}

/// Overwrites what earlier calls have left on the stack, then collects and reuses what was freed.
[[gnu::noinline]] inline void scrub_and_collect() {
  [[maybe_unused]] volatile long rubbish[4096];
  for (long i = 0; i < 4096; ++i) rubbish[i] = i;
  for (int i = 0; i < 3; ++i) {
    heap::collect();
    for (long n = 0; n < 20'000; ++n) static_cast<void>(Lazy<long>(-n));
  }
}

}  // namespace trawl::test
