// How fishing has a straggler run again: by a thief for whom there is nothing else, or here.
#include <algorithm>
#include <new>

#include "rts/sched/fishing.hpp"
#include "rts/sched/objects.hpp"
#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

// What writes to an object must be run once. (A spark that can has come with the object's name, in
// a message from who has heard of it.)
bool may_write(Host& host) {
  return host.objects().used();
}

}  // namespace

void Fishing::note_sent(heap::Node* spark, int thief, Nanos now) {
  if (!backs_up_) return;
  try {
    backups_.note(spark, thief, now);
  } catch (const std::bad_alloc&) {  // then it has no backup
  }
}

bool Fishing::may_back_up() const {
  return backs_up_ && !backups_.empty() && !workers_.leaving();
}

// A copy that waits here, for somebody who can begin with it at once. It is not noted: copies are
// not copied.
bool Fishing::pass_backup_on(const balance::Fish& fish) {
  constexpr double as_fast = 0.8;
  if (!workers_.has_imported()) return false;
  // By what was measured.
  if (tables_.speed_now(fish.thief) < as_fast * tables_.speed_now(tables_.self())) return false;
  heap::Node* const spark = workers_.take_backup();
  if (spark == nullptr) return false;
  try {
    if (!workers_.host().shared_heap().export_spark(spark, fish.thief,
                                                    {.fish = fish.number, .again = true})) {
      counters_.add(Count::sparks_fizzled);
      return false;
    }
  } catch (const std::bad_alloc&) {
    workers_.add_backup(spark);
    return false;
  }
  note_copy_sent(fish, spark);
  return true;
}

void Fishing::note_copy_sent(const balance::Fish& fish, const heap::Node* spark) {
  counters_.add(Count::fish_answered);
  trace::note(workers_.log(), trace::Kind::spark_export, 0, static_cast<std::uint32_t>(fish.thief),
              fish.number, spark->code().id);
}

// There is nothing to give, but what another PE is slow with.
bool Fishing::back_up(const balance::Fish& fish, Nanos now) {
  if (fish.ahead || workers_.leaving()) return false;
  if (pass_backup_on(fish)) return true;
  if (!may_back_up()) return false;
  heap::Node* const spark = backups_.take(fish.thief, fish.hungry, mean_thread(), now);
  if (spark == nullptr || may_write(workers_.host())) return false;
  const auto code = spark->code().id;
  try {
    if (!workers_.host().shared_heap().export_again(spark, fish.thief, fish.number)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  count_backup(code);
  note_copy_sent(fish, spark);
  return true;
}

// This PE has nothing to do, and found nothing elsewhere.
void Fishing::back_up_here(Nanos now) {
  constexpr Nanos until_next_look = 5'000'000;
  constexpr Nanos for_long = 2'000'000;
  const bool has_fished = !under_way_.empty() || near_.until > now || far_.until > now;
  if (!has_fished || !may_back_up() || !is_idle(workers_.load())) return;
  ask_again(now + until_next_look);
  const bool in_vain = under_way_.empty() || now - under_way_.front().sent > for_long;
  if (!in_vain) return;
  heap::Node* const spark = backups_.take(tables_.self(), hungry_for(now), mean_thread(), now);
  if (spark == nullptr || may_write(workers_.host())) return;
  const auto code = spark->code().id;
  try {
    if (workers_.host().shared_heap().evaluate_again(spark)) count_backup(code);
  } catch (const std::bad_alloc&) {  // who has it does it
  }
}

// It becomes a thread once more, or fizzles.
void Fishing::count_backup(std::uint32_t code) {
  counters_.add(Count::sparks_backed_up);
  counters_.add(Count::sparks_created);
  trace::note(workers_.log(), trace::Kind::spark_again, 0, code);
}

}  // namespace trawl::sched
