#include "rts/sched/fishing.hpp"

#include <algorithm>

namespace trawl::sched {
namespace {

constexpr std::size_t most_remembered = 16;
constexpr Nanos between_announcements = 2'000'000;

}  // namespace

Fishing::Fishing(const Options& options, std::uint64_t seed, balance::Tables& tables,
                 Workers& workers, fabric::Outbox& outbox, Counters& counters)
    : tables_(tables),
      workers_(workers),
      outbox_(outbox),
      counters_(counters),
      policy_(balance::make_policy(options.policy)),
      backoff_(static_cast<Nanos>(options.fish_delay * 1000),
               static_cast<Nanos>(options.fish_delay_max * 1000)),
      random_(seed),
      low_watermark_(options.low_watermark),
      max_fish_(options.max_fish) {}

void Fishing::consider() {
  if (outstanding_ >= max_fish_ + (invited_ ? 1U : 0U) || !hungry()) return;
  const int victim = policy_->victim(tables_, random_());
  if (victim >= 0) fish_at(victim);
}

void Fishing::fish_at(int victim) {
  ++outstanding_;
  counters_.add(Count::fish_sent);
  trace::note(workers_.log(), trace::Kind::fish_sent, 0, static_cast<std::uint32_t>(victim));
  balance::Fish fish;
  fish.thief = tables_.self();
  fish.patience = backoff_.next(random_());
  fabric::send(outbox_, victim, fish);
}

// Idle, or about to be. A PE whose threads are all blocked and may not be more is not hungry: it
// could do nothing with a spark.
bool Fishing::hungry() const {
  if (!workers_.may_start_thread()) return false;
  const auto load = workers_.load();
  if (load.sparks == 0 && load.runnable < workers_.size()) return true;
  return low_watermark_ != 0 && load.sparks < policy_->low_watermark(tables_, low_watermark_);
}

void Fishing::on_fish(balance::Fish fish, Worker* by, Nanos now) {
  if (fish.thief == tables_.self()) return came_home();
  feed_held(by);  // they were here first
  if (feed(fish.thief, by)) return;
  fish.visit(tables_.self());
  const int next = policy_->forward(tables_, fish, random_());
  if (next == fish.thief) return keep(fish, now);
  remember(fish.thief);
  if (next < 0) return;
  counters_.add(Count::fish_forwarded);
  trace::note(workers_.log(), trace::Kind::fish_forward, 0, static_cast<std::uint32_t>(next));
  fabric::send(outbox_, next, fish);
}

// Several sparks go in a SCHEDULE each: they may be far apart in the heap.
bool Fishing::feed(int thief, Worker* by) {
  const auto most = balance::sparks_per_schedule(workers_.spare_sparks());
  std::uint32_t given = 0;
  while (given < most) {
    heap::Node* spark = workers_.take_for_export(by);
    if (spark == nullptr) break;
    try {
      if (!workers_.host().shared_heap().export_spark(spark, thief, given == 0)) {
        counters_.add(Count::sparks_fizzled);
        continue;
      }
    } catch (const std::bad_alloc&) {  // it stays; somebody may wait for it
      workers_.add_imported(spark);
      break;
    }
    ++given;
    trace::note(workers_.log(), trace::Kind::spark_export, 0, static_cast<std::uint32_t>(thief));
  }
  if (given > 0) counters_.add(Count::fish_answered);
  return given > 0;
}

// Its thief would only wait until it may fish again: here it learns of a spark sooner.
void Fishing::keep(const balance::Fish& fish, Nanos now) {
  std::erase(turned_away_, fish.thief);
  held_.push_back({fish, now + fish.patience});
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
    return workers_.state().due.store(never, std::memory_order_relaxed);
  }
  feed_held(by);
  return_held(now);
  watch_or_announce(now);
  Nanos due = held_.empty() && turned_away_.empty() ? never : std::max(now, next_announcement_);
  if (watching_) due = never;
  for (const Held& each : held_) due = std::min(due, each.until);
  workers_.state().due.store(due, std::memory_order_relaxed);
}

void Fishing::feed_held(Worker* by) {
  auto fed = held_.begin();
  while (fed != held_.end() && workers_.spare_sparks() != 0 && feed(fed->fish.thief, by)) ++fed;
  held_.erase(held_.begin(), fed);
}

void Fishing::return_held(Nanos now) {
  std::erase_if(held_, [&](const Held& each) {
    if (now < each.until) return false;
    if (tables_.lost(each.fish.thief)) return true;
    remember(each.fish.thief);
    fabric::send(outbox_, each.fish.thief, each.fish);
    return true;
  });
}

void Fishing::remember(int thief) {
  if (turned_away_.size() == most_remembered) return;
  if (std::find(turned_away_.begin(), turned_away_.end(), thief) != turned_away_.end()) return;
  turned_away_.push_back(thief);
}

void Fishing::watch_or_announce(Nanos now) {
  if ((held_.empty() && turned_away_.empty()) || now < next_announcement_) return;
  auto spare = workers_.spare_sparks();
  if (spare == 0) {
    if (!watching_) {
      watching_ = true;
      return workers_.watch_for_sparks();
    }
    if (workers_.watching_for_sparks()) return;
  }
  // There are some; or there were, and a worker was faster. Not again for each that comes and goes.
  watching_ = false;
  next_announcement_ = now + between_announcements;
  for (; spare > 0 && !turned_away_.empty(); --spare) {
    const int thief = turned_away_.back();
    turned_away_.pop_back();
    if (!tables_.lost(thief)) fabric::send(outbox_, thief, WorkAvailable());
  }
}

// The FISH under way may be held where there is nothing: until one comes home, another may go.
void Fishing::on_work_available(int from) {
  if (outstanding_ > max_fish_ || !hungry()) return;
  invited_ = outstanding_ >= max_fish_;
  backoff_.reset();
  fish_at(from);
}

void Fishing::came_home() {
  if (outstanding_ == 0) throw BadBytes("it brings home a fish that was not sent");
  --outstanding_;
  invited_ = false;
  counters_.add(Count::fish_home_empty);
  trace::note(workers_.log(), trace::Kind::fish_home, 0);
}

void Fishing::caught() {
  if (outstanding_ == 0) throw BadBytes("it answers a fish that was not sent");
  if (--outstanding_ < max_fish_) invited_ = false;
  backoff_.reset();
}

}  // namespace trawl::sched
