#include "rts/leaving.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "rts/base/say.hpp"
#include "rts/leave_signals.hpp"
#include "rts/trace/note.hpp"

namespace trawl {
namespace {

// Rather than all that a thread makes as it runs: what is left of it then is the newest, and small.
constexpr Nanos between_looks = 200'000;
constexpr int sparks_a_look = 2;

}  // namespace

void Leaving::leaves(int pe) {
  if (pe != self_)
    others_.emplace_back(pe).before = !is_decided();
  else if (!asked())
    ask();
  rooms_.shared_heap.addresses().note_leaving(static_cast<std::uint32_t>(pe));
}

bool Leaving::is_decided() const {
  return rooms_.shared_heap.addresses().leaves(static_cast<std::uint32_t>(self_));
}

void Leaving::is_done(int pe) {
  for (auto& other : others_) other.done |= other.pe == pe;
}

void Leaving::gone(int pe) {
  std::erase_if(others_, [pe](const auto& other) { return other.pe == pe; });
}

void Leaving::joined(int pe) {
  if (stage_ == Stage::done || stage_ == Stage::empty) rooms_.life.say_done(pe);
}

// More than there is room for at once have to be asked again.
void Leaving::send_away(int pe) noexcept {
  for (auto& place : to_go_) {
    int none = 0;
    if (place.compare_exchange_strong(none, pe)) break;
  }
  any_to_go_ = true;
}

void Leaving::send_away_who_is_to_go() {
  any_to_go_ = false;
  for (auto& place : to_go_) {
    const int pe = place.exchange(0);
    if (pe == 0) continue;
    auto answer = fabric::LeaveAnswer::is_told;
    if (rooms_.objects.used()) {
      answer = fabric::LeaveAnswer::has_shared_objects;
    } else if (!rooms_.life.send_away(pe)) {
      answer = fabric::LeaveAnswer::there_is_none;
      say("trawl: PE " + std::to_string(pe) + " can't leave: there is none, or not any more\n");
    }
    answer_who_asked(pe, answer);
  }
}

void Leaving::look(Nanos now, sched::Worker* by) {
  if (any_to_go_.load(std::memory_order_relaxed) && rooms_.life.phase() == fabric::Phase::running)
    send_away_who_is_to_go();
  if ((!asked() && others_.empty()) || !rooms_.life.joined() || rooms_.life.stopping()) return;
  if (stage_ == Stage::stays && asked() && rooms_.objects.used()) stay();
  if (now >= next_look_) {
    next_look_ = now + between_looks;
    if (stage_ == Stage::stays && asked()) begin(now);
    if (stage_ != Stage::stays) go_on(now, by);
    look_after_others(now);
  }
  auto& due = rooms_.workers.state().due;
  due.store(std::min(due.load(std::memory_order_relaxed), next_look_), std::memory_order_relaxed);
}

// Who else has a copy of an object may have got what this PE was to pass on.
void Leaving::stay() {
  asked_ = 0;
  say("trawl: PE " + std::to_string(self_) + " does not leave: the program has shared objects\n");
}

void Leaving::begin(Nanos now) {
  stage_ = Stage::gives_away;
  begun_ = now;
  rooms_.workers.begin_to_leave();
  rooms_.fishing.begin_to_leave(now);
  rooms_.life.part(life::Parting::Stage::begins, 0);
}

// Once it has told that it is done, it still answers, and gives back what comes. Others know that
// it leaves before they hear that.
void Leaving::go_on(Nanos now, sched::Worker* by) {
  give_away(by);
  if (stage_ == Stage::hurries) return;
  if (asked_.load() > 1 || now - begun_ >= grace_) {
    stage_ = Stage::hurries;
    part(life::Parting::Stage::hurry);
  } else if (stage_ == Stage::gives_away && is_decided() && nothing_left(by)) {
    stage_ = Stage::done;
    rooms_.life.say_done();
  } else if (stage_ == Stage::done && is_empty(by)) {
    stage_ = Stage::empty;
    part(life::Parting::Stage::empty);
  }
}

void Leaving::part(life::Parting::Stage stage) {
  rooms_.life.part(stage, rooms_.workers.live_threads());
}

// Who fishes here has had some before.
void Leaving::give_away(sched::Worker* by) {
  give_imported();
  for (int i = 0; i < sparks_a_look; ++i) {
    heap::Node* const spark = rooms_.workers.take_for_export(by).spark;
    if (spark == nullptr) break;
    if (!spark->code().placed && send_to_main(spark)) continue;
    rooms_.workers.add_placed(spark);
    if (!spark->code().placed) break;
  }
}

void Leaving::give_imported() {
  auto& workers = rooms_.workers;
  std::vector<heap::Node*> stay;
  while (workers.has_imported()) {
    heap::Node* const spark = workers.take_imported();
    if (spark == nullptr || spark->state() != heap::State::unevaluated) continue;
    if (rooms_.shared_heap.hand_back(spark)) continue;
    if (spark->code().placed || !send_to_main(spark)) stay.push_back(spark);
  }
  for (heap::Node* spark : stay) workers.add_placed(spark);
}

// False: there is no memory for it.
bool Leaving::send_to_main(heap::Node* spark) {
  try {
    if (rooms_.shared_heap.export_spark(spark, 0))
      trace::note(rooms_.log, trace::Kind::spark_export, 0, 0, 0, spark->code().id);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool Leaving::nothing_left(const sched::Worker* by) const {
  return rooms_.workers.live_threads() == 0 && rooms_.workers.at_rest(by) &&
         rooms_.shared_heap.blocking_queues() == 0 && !rooms_.shared_heap.expects(std::nullopt);
}

// Nobody can ask for anything any more: all weight is home, what is under way included. From who
// leaves before it something may still come.
bool Leaving::is_empty(const sched::Worker* by) const {
  const bool takes =
      std::any_of(others_.begin(), others_.end(), [](auto& each) { return each.before; });
  return !takes && nothing_left(by) && rooms_.shared_heap.addresses().slots() == 0;
}

// Of two that leave, who is later takes from the other: not both, or they would for ever take from
// each other what nobody evaluates. Until a PE is gone others may still bring names of what it has.
void Leaving::look_after_others(Nanos now) {
  constexpr Nanos longest_pause = 20'000'000;
  for (auto& other : others_) {
    if (!other.done || now < other.next_look) continue;
    const bool takes = other.before && !rooms_.fishing.full();
    if (takes && other.brings.go_on(rooms_.shared_heap)) {
      other.pause = between_looks;
    } else {
      other.pause = std::clamp(2 * other.pause, between_looks, longest_pause);
      if (!other.settled && !rooms_.shared_heap.expects(static_cast<std::uint32_t>(other.pe))) {
        other.settled = true;
        rooms_.life.say_settled(other.pe);
      }
    }
    other.next_look = now + other.pause;
  }
}

}  // namespace trawl
