// threads_when_full N: fills the heap up to its bound and lets N threads begin to allocate: prints
// how many of them learned that there is no memory, or got some.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

using Block = std::unique_ptr<char[]>;

void fill(std::vector<Block>& blocks) {
  for (std::size_t bytes = 1U << 20U; bytes >= 16 && blocks.size() < blocks.capacity();) {
    try {
      blocks.push_back(Block(new char[bytes]));
    } catch (const std::bad_alloc&) {
      bytes /= 2;
    }
  }
}

int root(int, char** argv) {
  const auto n = static_cast<std::size_t>(std::atol(argv[1]));
  std::latch full(1);
  std::latch all_begun(static_cast<std::ptrdiff_t>(n));
  std::atomic<int> ended{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < n; ++i)
    threads.emplace_back([&] {
      full.wait();
      try {
        const auto own = std::make_unique<long>(1);
        ended += static_cast<int>(*own);
      } catch (const std::bad_alloc&) {
        ++ended;
      }
      all_begun.arrive_and_wait();
    });
  std::vector<Block> blocks;
  blocks.reserve(1U << 20U);
  fill(blocks);
  full.count_down();
  threads.clear();
  blocks.clear();
  std::printf("%d\n", ended.load());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
