// Each allocation of a small run fails in its turn, alone or with those after it: the run gives the
// right answer, or says that memory is gone, and never anything else. `memory_fuzz [runs [first]]`.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace {

unsigned long allocations = 0;  // of this run
unsigned long failing = 0;      // the first of them that fails
unsigned long in_a_row = 0;     // how many do
bool counting = false;

bool fails() noexcept {
  return counting && ++allocations >= failing && allocations < failing + in_a_row;
}

}  // namespace

// What the runtime calls instead of these, by the linker's --wrap (tests/CMakeLists.txt).
extern "C" {
void* __real_malloc(std::size_t);
void* __wrap_malloc(std::size_t size) {
  return fails() ? nullptr : __real_malloc(size);
}
void* __real_calloc(std::size_t, std::size_t);
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __real_calloc(count, size);
}
// trawl::heap::allocate
void* __real__ZN5trawl4heap8allocateEm(std::size_t);
void* __wrap__ZN5trawl4heap8allocateEm(std::size_t size) {
  if (fails()) throw std::bad_alloc();
  return __real__ZN5trawl4heap8allocateEm(size);
}
#ifndef TRAWL_NO_COLLECTOR
void* __real_GC_malloc(std::size_t);
void* __wrap_GC_malloc(std::size_t size) {
  return fails() ? nullptr : __real_GC_malloc(size);
}
void* __real_GC_malloc_atomic(std::size_t);
void* __wrap_GC_malloc_atomic(std::size_t size) {
  return fails() ? nullptr : __real_GC_malloc_atomic(size);
}
void* __real_GC_malloc_uncollectable(std::size_t);
void* __wrap_GC_malloc_uncollectable(std::size_t size) {
  return fails() ? nullptr : __real_GC_malloc_uncollectable(size);
}
void __real_GC_generic_malloc_many(std::size_t, int, void**);
void __wrap_GC_generic_malloc_many(std::size_t size, int kind, void** list) {
  if (fails()) {
    *list = nullptr;
  } else {
    __real_GC_generic_malloc_many(size, kind, list);
  }
}
#endif
}

namespace {

using trawl::force;
using trawl::Lazy;
using trawl::lazy;
using trawl::par;
using trawl::Simulation;

struct Cell {
  long value = 0;
  Lazy<Cell> next;
};

constexpr trawl::Nanos us = 1'000;

std::vector<long> numbers(long size) {
  Simulation::work(100 * us);
  std::vector<long> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0L);
  return all;
}

long sum(const std::vector<long>& all) {
  Simulation::work(50 * us);
  return std::accumulate(all.begin(), all.end(), 0L);
}

long sum_of(Lazy<std::vector<long>> all) {
  return sum(force(all));
}

Lazy<Cell> list(long length) {
  Lazy<Cell> first;
  for (long i = 0; i < length; ++i) first = Lazy<Cell>(Cell{i, first});
  return first;
}

long length_of(Lazy<Cell> cells) {
  Simulation::work(100 * us);
  long length = 0;
  for (auto cell = cells; cell; cell = force(cell).next) ++length;
  return length;
}

long refuses(long n) {
  Simulation::work(50 * us);
  if (n >= 0) throw std::out_of_range("no");
  return n;
}

long fib(long n) {
  Simulation::work(5 * us);
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

/// What travels: long values and short, lists, thunks within thunks, exceptions.
long root() {
  long answer = 0;
  const auto shared = par(lazy<numbers>(600L));
  std::vector<Lazy<long>> sums;
  for (int i = 0; i < 4; ++i) sums.push_back(par(lazy<sum_of>(shared)));
  sums.push_back(par(lazy<sum>(std::vector<long>(20'000, 1))));
  sums.push_back(par(lazy<length_of>(list(60))));
  const auto refusal = par(lazy<refuses>(1L));
  answer += fib(7);
  for (const auto& each : sums) answer += force(each);
  try {
    answer += force(refusal);
  } catch (const std::out_of_range&) {
    answer += 1'000'000;
  }
  return answer;
}

constexpr long right = 13 + 4 * (599L * 600 / 2) + 20'000 + 60 + 1'000'000;

Simulation::Config grid(bool shared_memory) {
  Simulation::Config config;
  config.net.pes = 3;
  config.net.limit = 2048;
  config.net.shared_memory = shared_memory;
  config.options.packet_size = 1024;
  config.options.silence = 1;
  return config;
}

/// What is wrong with what came of it; nothing, if it is as promised.
std::string outcome(bool shared_memory) {
  Simulation simulation(grid(shared_memory));
  long answer = 0;
  try {
    counting = true;
    simulation.run([&answer] { answer = root(); }, 3'000'000 * us);
    const auto end = simulation.finish(3);
    counting = false;
    if (answer != right) return "a wrong answer: " + std::to_string(answer);
    return end.code == 3 ? "" : "a wrong exit code: " + std::to_string(end.code);
  } catch (const std::exception& e) {
    counting = false;
    const std::string_view what = e.what();
    for (const auto* said : {"no memory", "bad_alloc"})
      if (what.find(said) != std::string_view::npos) return "";
    return "another error: " + std::string(what);
  }
}

[[noreturn]] void die() {
  counting = false;
  std::fprintf(stderr, "terminated when allocation %lu failed\n", failing);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const auto runs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : ~0UL;
  const auto first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::set_terminate(&die);
  unsigned long bad = 0;
  unsigned long tried = 0;
  for (const bool shared_memory : {false, true}) {
    in_a_row = 0;
    outcome(shared_memory);  // what is allocated once in a process
    for (failing = first; tried < runs; ++failing, ++tried) {
      in_a_row = failing % 2 == 0 ? 1 : 30;
      allocations = 0;
      const auto trouble = outcome(shared_memory);
      if (!trouble.empty()) {
        ++bad;
        std::fprintf(stderr, "when allocation %lu failed: %s\n", failing, trouble.c_str());
      }
      if (allocations < failing) break;
    }
    std::printf("shared memory %d: %lu allocations\n", shared_memory ? 1 : 0, allocations);
  }
  return bad == 0 && tried != 0 ? 0 : 1;
}
