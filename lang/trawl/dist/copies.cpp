#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include <trawl/dist/copies.hpp>

namespace trawl::detail {
namespace {

// On the PE of a shard whose elements may hold a Lazy: all that they refer to comes there.
bool whole(const Lazy<heap::Anything>& shard) {
  return sched::gather(shard.node(), false);
}

}  // namespace

bool Copying::there() const {
  const auto groups = thunks_of<Ran>(made);
  return std::all_of(groups.begin(), groups.end(),
                     [](const auto& group) { return group.evaluated(); });
}

bool Copying::is_to_tell() const noexcept {
  return !std::atomic_ref(told).exchange(true);
}

void Copying::finish() const {
  if (!is_to_tell()) return;
  std::size_t i = 0;
  for (const auto& group : thunks_of<Ran>(made))
    for (const auto& shape : force(group).shapes) {
      // If the copy were made of the shard again, each would wait for the other.
      if (!shape.failed && sched::also_from(copies[i], nullptr) &&
          sched::also_from(shards[i], copy(copies[i], nullptr)))
        sched::keep_step(shards[i], copy(shards[i], nullptr));
      ++i;
    }
  // Older data that somebody keeps may know of this, too.
  std::ranges::fill(shards, nullptr);
  std::ranges::fill(copies, nullptr);
}

double bytes_made(std::span<heap::Node* const> groups) {
  double most = 0;
  for (const auto& group : thunks_of<Ran>(groups)) {
    if (!group.evaluated()) continue;
    double bytes = 0;
    for (const auto& shape : force(group).shapes) bytes += static_cast<double>(shape.bytes);
    most = std::max(most, bytes);
  }
  return most;
}

// Each PE's at the same time. The heap grows with what is alive, and all of it is written to.
double time_of_copies(std::span<heap::Node* const> groups, std::span<const Place> places) {
  if (places.empty()) return 0;
  const auto way = sched::way_between(pe_of(places.back()), pe_of(away_from(places.back())));
  constexpr double heap_by_live = 4;
  return way.latency +
         bytes_made(groups) * (1 / way.bytes_per_nano + heap_by_live * sched::time_of_new_memory());
}

heap::Node* finish(heap::Node* copying, bool wait) {
  if (copying == nullptr) return nullptr;
  const auto& copies = force(Lazy<Copying>::refer_to(copying));
  if (!wait && !copies.there()) return copying;
  copies.finish();
  return nullptr;
}

heap::Node* begin_copies(std::span<heap::Node* const> shards, std::span<const Place> places,
                         bool refer, heap::Node* (*copy)(heap::Node* shard, heap::Node* is_whole)) {
  Copying copying;
  copying.copy = copy;
  std::vector<Place> to;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (places[i] == Place()) {
      sched::keep_step(shards[i], copy(shards[i], nullptr));
      continue;
    }
    const auto is_whole =
        refer ? lazy_placed<&whole>(Lazy<heap::Anything>::refer_to(shards[i])) : Lazy<bool>();
    copying.shards.push_back(shards[i]);
    copying.copies.push_back(copy(shards[i], is_whole.node()));
    to.push_back(away_from(places[i]));
    if (is_whole) sched::place(is_whole.node(), pe_of(places[i]));
  }
  if (to.empty()) return nullptr;
  copying.made = start_groups(copying.copies, to);
  return Lazy<Copying>(std::move(copying)).node();
}

}  // namespace trawl::detail
