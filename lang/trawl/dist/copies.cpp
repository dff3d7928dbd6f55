#include <algorithm>
#include <cstddef>

#include <trawl/dist/copies.hpp>

namespace trawl::detail {
namespace {

// On the PE of a shard whose elements may hold a Lazy: all that they refer to comes there.
bool whole(const Member& shard) {
  return sched::gather(shard.node(), false);
}

}  // namespace

bool Copying::there() const {
  return std::all_of(made_.begin(), made_.end(),
                     [](const auto& group) { return group.evaluated(); });
}

void Copying::finish() {
  if (told_.exchange(true)) return;
  Failed failed;
  for (const auto& group : made_)
    for (const auto& shape : force(group).shapes) failed.push_back(shape.failed);
  std::exchange(tell_, {})(failed);
}

void finish(std::shared_ptr<Copying>& copying, bool wait) {
  if (copying == nullptr || (!wait && !copying->there())) return;
  copying->finish();
  copying = nullptr;
}

std::shared_ptr<Copying> begin_copies(std::span<const Member> shards, std::span<const Place> places,
                                      bool refer,
                                      Member (*copy)(const Member&, const Lazy<bool>&)) {
  std::vector<Member> mortal;
  std::vector<Member> copies;
  std::vector<Place> to;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (places[i] == Place()) continue;
    const auto is_whole = refer ? lazy_placed<&whole>(shards[i]) : Lazy<bool>();
    mortal.push_back(shards[i]);
    copies.push_back(copy(shards[i], is_whole));
    to.push_back(away_from(places[i]));
    if (is_whole) sched::place(is_whole.node(), pe_of(places[i]));
  }
  if (copies.empty()) return nullptr;
  auto made = start_members(copies, to);
  const auto tell = [mortal, copies, copy](const Copying::Failed& failed) {
    for (std::size_t i = 0; i < mortal.size(); ++i) {
      // If the copy were made of the shard again, each would wait for the other.
      if (failed[i] || !sched::also_from(copies[i].node(), nullptr)) continue;
      sched::also_from(mortal[i].node(), copy(copies[i], {}).node());
    }
  };
  return std::make_shared<Copying>(std::move(made), tell);
}

}  // namespace trawl::detail
