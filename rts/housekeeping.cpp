#include "rts/housekeeping.hpp"

namespace trawl {
namespace {

constexpr Nanos interval = 20'000;

}  // namespace

void Housekeeping::keep(Nanos now, sched::Worker* by) {
  next_ = now + interval;
  for (Chore& chore : chores_) {
    if (now < chore.next || !allowed(chore.when)) continue;
    chore.next = now + chore.interval;
    chore.work(now, by);
  }
}

// A chore may change it for the next ones.
bool Housekeeping::allowed(When when) const noexcept {
  if (life_.over()) return false;
  if (when == When::always) return true;
  return !life_.stopping() && (when == When::until_stopping || life_.joined());
}

}  // namespace trawl
