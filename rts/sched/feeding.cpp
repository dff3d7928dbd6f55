// The FISH of others: fed, sent on, or held until there is something for them. Our own:
// fishing.cpp.
#include <algorithm>
#include <limits>

#include "rts/sched/fishing.hpp"
#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

constexpr std::size_t most_remembered = 16;
constexpr Nanos between_announcements = 2'000'000;

}  // namespace

void Fishing::on_fish(balance::Fish fish, Worker* by, Nanos now) {
  if (fish.thief == tables_.self()) return came_home(fish.number, now);
  if (tables_.lost(fish.thief)) return;
  feed_held(by, now);  // they were here first
  if (feed(fish, by, now)) return;
  fish.visit(tables_.self());
  const int next = policy_->forward(tables_, fish, random_());
  if (next == fish.thief && back_up(fish, now)) return;
  // One that was sent ahead would keep its thief from asking when that has nothing any more.
  const bool holds = means_.holds_fish && !workers_.leaving() && !fish.ahead;
  if (next == fish.thief && holds && !tables_.is_far(fish.thief)) return keep(fish, now);
  if (!fish.ahead) remember(fish.thief);
  if (next < 0) return;
  if (next != fish.thief) {
    trace::note<Count::fish_forwarded>(counters_, workers_.log(), 0,
                                       static_cast<std::uint32_t>(next), fish.number,
                                       static_cast<std::uint32_t>(fish.thief));
  }
  fabric::send(outbox_, next, fish);
}

// It is not quiet where no thread can begin, or none has for long: then they are not alike.
balance::Supply Fishing::supply(Nanos now) {
  std::uint64_t made = 0;
  std::uint64_t begun = 0;
  std::uint64_t done = 0;  // but for threads
  for (const auto& worker : workers_.all()) {
    made += worker->sparks_made();
    begun += worker->counters[Count::threads_created];
    done +=
        worker->counters[Count::sparks_subsumed] + worker->pool.fizzled() + worker->pool.calls();
  }
  if (made != sparks_made_) {
    sparks_made_ = made;
    threads_begun_ = begun;
  }
  if (begun != last_begun_) {
    last_begun_ = begun;
    last_begun_at_ = now;
  }
  const auto spare = workers_.spare_sparks();
  if (spare == 0) return {};
  auto quiet = begun - threads_begun_;
  if (quiet != 0 && (!workers_.may_start_thread() || now - last_begun_at_ > 2 * mean_thread()))
    quiet = 0;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const bool untried = made != 0 && begun <= workers_.live_threads() && done < 2;
  return {spare, static_cast<std::uint32_t>(std::min(quiet, most)), untried};
}

// Several sparks go in a SCHEDULE each: they may be far apart in the heap.
bool Fishing::feed(const balance::Fish& fish, Worker* by, Nanos now) {
  if (tables_.lost(fish.thief)) return true;  // it leaves, and takes nothing any more
  const auto has = supply(now);
  // What PEs have fetched ahead would go to and fro between them.
  const auto kept = fish.ahead ? low_watermark() : 0;
  if (has.spare <= kept) return false;
  const int thief = fish.thief;
  const auto most = std::min(policy_->portion(tables_, fish, has), has.spare - kept);
  std::uint32_t given = 0;
  while (given < most) {
    const auto found = workers_.take_for_export(by);
    heap::Node* const spark = found.spark;
    if (spark == nullptr) break;
    if (spark->code().placed) {  // somebody has made a spark of it, too
      workers_.add_placed(spark);
      continue;
    }
    try {
      const auto answers = given == 0 ? fish.number : std::uint16_t{0};
      if (!workers_.host().shared_heap().export_spark(spark, thief, {.fish = answers})) {
        counters_.add(Count::sparks_fizzled);
        continue;
      }
    } catch (const std::bad_alloc&) {  // it stays; somebody may wait for it
      workers_.add_imported(spark);
      break;
    }
    ++given;
    note_sent(spark, thief, now);
    trace::note(workers_.log(), trace::Kind::spark_export, 0, static_cast<std::uint32_t>(thief),
                fish.number, spark->code().id, found.packed_place());
  }
  if (given > 0) counters_.add(Count::fish_answered);
  return given > 0;
}

// Its thief would only wait until it may fish again: here it learns of a spark sooner.
void Fishing::keep(const balance::Fish& fish, Nanos now) {
  std::erase(turned_away_, fish.thief);
  held_.push_back({fish, now, now + fish.patience});
  next_return_ = std::min(next_return_, held_.back().until);
}

std::size_t Fishing::held(int thief) const noexcept {
  return static_cast<std::size_t>(std::count_if(
      held_.begin(), held_.end(), [&](const Held& each) { return each.fish.thief == thief; }));
}

void Fishing::serve(Worker* by, Nanos now) {
  if (held_.empty() && turned_away_.empty()) {
    if (watching_ && !workers_.watching_for_sparks()) {
      watching_ = false;
      next_announcement_ = now + between_announcements;
    }
    return workers_.state().due.store(again_, std::memory_order_relaxed);
  }
  feed_held(by, now);
  return_held(now);
  watch_or_announce(now);
  Nanos due = held_.empty() && turned_away_.empty() ? never : std::max(now, next_announcement_);
  if (watching_) due = never;
  workers_.state().due.store(std::min({due, again_, next_return_}), std::memory_order_relaxed);
}

// Of a large cluster a thousand may be held here: they are gone through when one can be fed, or has
// to go home.
void Fishing::feed_held(Worker* by, Nanos now) {
  if (held_.empty() || supply(now).spare == 0) return;
  auto kept = held_.begin();
  auto each = held_.begin();
  for (; each != held_.end() && workers_.spare_sparks() != 0; ++each)
    if (!feed(each->fish, by, now)) *kept++ = *each;
  if (kept == each) return;
  held_.erase(kept, each);
  note_next_return();
}

void Fishing::note_next_return() {
  next_return_ = never;
  for (const Held& each : held_) next_return_ = std::min(next_return_, each.until);
}

void Fishing::return_held(Nanos now) {
  if (now < next_return_) return;
  std::erase_if(held_, [&](Held& each) {
    if (now < each.until) return false;
    each.fish.hungry = std::min(each.fish.hungry + now - each.since, balance::Fish::most_hungry);
    if (tables_.lost(each.fish.thief) || back_up(each.fish, now)) return true;
    remember(each.fish.thief);
    fabric::send(outbox_, each.fish.thief, each.fish);
    return true;
  });
  note_next_return();
}

void Fishing::remember(int thief) {
  if (!means_.announces || tables_.is_far(thief)) return;
  if (turned_away_.size() == most_remembered) return;
  if (std::find(turned_away_.begin(), turned_away_.end(), thief) != turned_away_.end()) return;
  turned_away_.push_back(thief);
}

void Fishing::watch_or_announce(Nanos now) {
  if ((held_.empty() && turned_away_.empty()) || now < next_announcement_) return;
  const auto has = supply(now);
  if (has.spare == 0) {
    if (!watching_) {
      watching_ = true;
      return workers_.watch_for_sparks();
    }
    if (workers_.watching_for_sparks()) return;
  }
  // There are some; or there were, and a worker was faster. Not again for each that comes and goes.
  watching_ = false;
  next_announcement_ = now + between_announcements;
  auto left = has.spare;
  for (auto i = turned_away_.size(); left > 0 && i-- > 0;) {
    const int thief = turned_away_[i];
    const bool lost = tables_.lost(thief);
    if (!lost && policy_->portion(tables_, {.thief = thief}, has) == 0) continue;
    turned_away_.erase(turned_away_.begin() + static_cast<std::ptrdiff_t>(i));
    if (lost) continue;
    fabric::send(outbox_, thief, WorkAvailable());
    --left;
  }
}

}  // namespace trawl::sched
