#include "rts/heap/heap_size.hpp"

#include <algorithm>

namespace trawl::heap {
namespace {

constexpr double share = 0.1;          // of the time, for collections
constexpr double fastest = 2;          // times the room, at once: one collection may have been slow
constexpr std::size_t most_times = 5;  // what is alive

}  // namespace

// It was full when it was collected: what had not been allocated since the last time was alive.
// That tells more than pages do, which are mostly empty; but nothing where much was freed in
// between, or the heap was not full yet.
std::size_t growth(const Collected& last, std::size_t most) noexcept {
  const auto wanted = static_cast<double>(last.took) * (1 - share) / share;
  const auto worked = static_cast<double>(std::max<Nanos>(last.worked, 1));
  const auto times = std::min(wanted / worked, fastest);
  if (times <= 1) return 0;
  const auto empty = last.heap - std::min(last.live, last.heap);
  const auto room = last.allocated < last.heap ? std::max(last.allocated, empty) : empty;
  const auto live = last.heap - room;
  const auto heap = std::min({live + static_cast<std::size_t>(static_cast<double>(room) * times),
                              most_times * live, most});
  return heap > last.heap ? heap - last.heap : 0;
}

}  // namespace trawl::heap
