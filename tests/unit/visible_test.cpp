// A Lazy where the collector doesn't look is refused by debug builds: this file is one.
#undef NDEBUG

#include "rts/heap/visible.hpp"

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

#ifndef TRAWL_NO_COLLECTOR

namespace {

using trawl::Lazy;
using trawl::Simulation;

long half(long n) {
  return n / 2;
}

Lazy<long> in_static_data = trawl::lazy<half>(4L);
thread_local Lazy<long> in_thread_local_data;

struct Node {
  long n;
  Lazy<Node> next;
};
Node next_of(long n) {
  return {n, n > 0 ? trawl::lazy<next_of>(n - 1) : Lazy<Node>()};
}

struct Holder {
  Lazy<long> held;
};

TEST(Visible, WhereALazyMayLie) {
  const auto x = trawl::lazy<half>(2L);
  in_static_data = x;
  in_thread_local_data = x;
  const auto on_heap = std::make_unique<Lazy<long>>(x);
  std::vector<Holder> many(1000, Holder{x});
  const Lazy<Holder> in_a_value(Holder{x});
  std::optional<Lazy<long>> from_another_thread;
  std::thread([&] {
    in_thread_local_data = x;
    const Lazy<long> on_its_stack = in_thread_local_data;
    from_another_thread = on_its_stack;
  }).join();
  EXPECT_EQ(from_another_thread->node(), x.node());
}

TEST(Visible, OnTheStacksOfThreads) {
  Simulation::Config config;
  config.net.pes = 2;
  Simulation grid(config);
  grid.run([] {
    std::vector<Lazy<Node>> all;
    for (long n = 0; n < 100; ++n) all.push_back(trawl::par(trawl::lazy<next_of>(n)));
    Simulation::work(1'000'000);
    for (const auto& x : all) trawl::rdeepseq(x);
  });
}

template <class F>
void is_refused(F put) {
  try {
    put();
    ADD_FAILURE();
  } catch (const trawl::Error& e) {
    EXPECT_NE(std::string(e.what()).find("where the collector doesn't look"), std::string::npos);
  }
}

TEST(Visible, MemoryOfMalloc) {
  for (const std::size_t size : {sizeof(Holder), std::size_t{1} << 20U}) {
    auto* memory = static_cast<Holder*>(std::calloc(1, size));
    const auto x = trawl::lazy<half>(2L);
    is_refused([&] { new (memory) Holder{x}; });
    is_refused([&] { new (memory) Lazy<long>(3L); });
    is_refused([&] { memory->held = x; });
    std::free(memory);
  }
}

TEST(Visible, MemoryOfMmap) {
  constexpr std::size_t size = 4096;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  // If it lies beside a stack of ours they are one mapping, and nothing is refused.
  if (!trawl::heap::can_see(memory))
    is_refused([&] { new (memory) Holder{trawl::lazy<half>(2L)}; });
  munmap(memory, size);
}

TEST(Visible, Exceptions) {
  const auto x = trawl::lazy<half>(2L);
  is_refused([&] { throw Holder{x}; });
}

}  // namespace

#endif
