#include "rts/sched/seals.hpp"

#include <algorithm>

namespace trawl::sched {

bool Seals::put(SparkPool& pool) {
  seals_.reserve(seals_.size() + 1);
  const auto seal = pool.seal();
  if (!seal) return false;
  if (*seal != nullptr) seals_.push_back({&pool, *seal});
  return true;
}

// Others stay as long as there is something below them: this thread may have new calls above what
// others have left there.
void Seals::lift(SparkPool& pool) {
  if (seals_.empty()) return;
  if (seals_.back().pool == &pool && pool.lift(seals_.back().slot)) seals_.pop_back();
  const auto kept = std::remove_if(seals_.begin(), seals_.end(), [](const Seal& seal) {
    return seal.pool->drop_if_needless(seal.slot);
  });
  seals_.erase(kept, seals_.end());
}

void Seals::drop() noexcept {
  for (const Seal& seal : seals_) seal.pool->drop(seal.slot);
  seals_.clear();
}

}  // namespace trawl::sched
