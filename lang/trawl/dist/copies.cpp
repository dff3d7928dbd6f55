#include <algorithm>
#include <cstddef>

#include <trawl/dist/copies.hpp>

namespace trawl::detail {
namespace {

// On the PE of a shard whose elements may hold a Lazy: all that they refer to comes there.
bool whole(const Lazy<heap::Anything>& shard) {
  return sched::gather(shard.node(), false);
}

}  // namespace

bool Copying::there() const {
  const auto groups = thunks_of<Ran>(made_);
  return std::all_of(groups.begin(), groups.end(),
                     [](const auto& group) { return group.evaluated(); });
}

void Copying::finish() {
  if (told_.exchange(true)) return;
  Failed failed;
  for (const auto& group : thunks_of<Ran>(made_))
    for (const auto& shape : force(group).shapes) failed.push_back(shape.failed);
  std::exchange(tell_, {})(failed);
}

void finish(std::shared_ptr<Copying>& copying, bool wait) {
  if (copying == nullptr || (!wait && !copying->there())) return;
  copying->finish();
  copying = nullptr;
}

std::shared_ptr<Copying> begin_copies(std::span<heap::Node* const> shards,
                                      std::span<const Place> places, bool refer,
                                      heap::Node* (*copy)(heap::Node* shard,
                                                          heap::Node* is_whole)) {
  std::vector<heap::Node*> mortal;
  std::vector<heap::Node*> copies;
  std::vector<Place> to;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (places[i] == Place()) continue;
    const auto is_whole =
        refer ? lazy_placed<&whole>(Lazy<heap::Anything>::refer_to(shards[i])) : Lazy<bool>();
    mortal.push_back(shards[i]);
    copies.push_back(copy(shards[i], is_whole.node()));
    to.push_back(away_from(places[i]));
    if (is_whole) sched::place(is_whole.node(), pe_of(places[i]));
  }
  if (copies.empty()) return nullptr;
  auto made = start_groups(copies, to);
  const auto tell = [mortal, copies, copy](const Copying::Failed& failed) {
    for (std::size_t i = 0; i < mortal.size(); ++i) {
      // If the copy were made of the shard again, each would wait for the other.
      if (failed[i] || !sched::also_from(copies[i], nullptr)) continue;
      sched::also_from(mortal[i], copy(copies[i], nullptr));
    }
  };
  return std::make_shared<Copying>(std::move(made), tell);
}

}  // namespace trawl::detail
