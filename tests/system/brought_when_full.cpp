// brought_when_full BYTES: the last PE fills its heap up to its bound with what it needs, and then
// is sent an array of so many bytes; prints how many of them were 1.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

namespace {

using Bytes = std::vector<unsigned char>;

std::vector<std::unique_ptr<char[]>>& kept_here() {
  static std::vector<std::unique_ptr<char[]>> blocks;
  return blocks;
}

// A little is left, for calls.
long fill(long piece) {
  auto& blocks = kept_here();
  for (long bytes = piece; bytes >= 4096 && blocks.size() < 10'000;) {
    try {
      blocks.push_back(std::make_unique<char[]>(static_cast<std::size_t>(bytes)));
    } catch (const std::bad_alloc&) {
      bytes /= 2;
    }
  }
  blocks.resize(blocks.size() - std::min<std::size_t>(blocks.size(), 8));
  return static_cast<long>(blocks.size());
}

long ones(const Bytes& bytes) {
  return std::count(bytes.begin(), bytes.end(), 1);
}

int root(int, char** argv) {
  const auto place = trawl::places().back();
  trawl::force(trawl::apply<fill>(place, 1L << 20U));
  const Bytes brought(static_cast<std::size_t>(std::atol(argv[1])), 1);
  std::printf("%ld\n", trawl::force(trawl::apply<ones>(place, brought)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
