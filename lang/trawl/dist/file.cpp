#include <algorithm>
#include <cstring>

#include <trawl/dist/file.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl::detail {

void throw_of_file(const std::string& file, const char* what) {
  throw Error(file + ": can't be " + what + " by PE " + std::to_string(sched::pe_here()) + ": " +
              std::strerror(errno));
}

std::vector<std::vector<Section>> sections_of(
    const std::vector<std::pair<std::string, std::uint64_t>>& files) {
  constexpr std::uint64_t small = std::uint64_t{64} << 10U;
  constexpr std::uint64_t large = std::uint64_t{64} << 20U;
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file.second;
  const auto count = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      std::max(std::min<std::uint64_t>(bytes / small, 64), bytes / large), 1, 4096));
  std::vector<std::vector<Section>> shards(count);
  std::uint64_t before = 0;  // of this file
  std::size_t shard = 0;
  for (const auto& [file, size] : files) {
    for (std::uint64_t at = 0; at < size;) {
      while (shard_begin(bytes, count, shard + 1) <= before + at) ++shard;
      const auto end = std::min(size, shard_begin(bytes, count, shard + 1) - before);
      shards[shard].push_back({file, at, end, size});
      at = end;
    }
    before += size;
  }
  return shards;
}

std::ifstream same_file(const Section& section) {
  std::ifstream in(section.file, std::ios::binary | std::ios::ate);
  if (in && static_cast<std::uint64_t>(in.tellg()) != section.size) in.close();
  return in;
}

}  // namespace trawl::detail
