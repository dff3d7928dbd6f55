#include "rts/heap_watch.hpp"

#include <algorithm>

#include "rts/heap/collect.hpp"
#include "rts/heap/messages.hpp"

namespace trawl {
namespace {

constexpr std::size_t least = 32U << 20U;  // bytes: less is not worth a message
constexpr std::size_t much = 64U << 20U;
constexpr std::size_t many_slots = 16'384;
constexpr std::size_t most_asked = 64;  // at a time, and the main PE

}  // namespace

void HeapWatch::look() {
  const auto collector = heap::collector_statistics();
  const auto heap = collector.heap_bytes;
  const auto slots = shared_heap_.addresses().slots();
  const auto returned = shared_heap_.addresses().returned();
  const bool is_tight = heap > bounds_.most / 2;
  if (heap >= heap_ + (is_tight ? std::max(heap_ / 8, least) : heap_ + much)) {
    heap_ = heap;
    if (slots != 0) ask_others();
  }
  // It can't grow, and to begin with nobody knew that it would be full.
  if (heap::take_somebody_waits() && slots != 0) ask_others();
  slots_ = std::min(slots_, slots);
  if (slots > 2 * slots_ + many_slots) {
    slots_ = slots;
    ask_others();
  }
  const bool can_shrink = returned != returned_ || collector.free_bytes > heap / 4;
  if (!asked_ && !(is_tight && can_shrink)) return;
  if (asked_) shared_heap_.drop_arguments_of_sent_sparks();
  if (!heap::collect_if_seldom(is_tight)) return;
  asked_ = false;
  returned_ = returned;
  heap_ = std::min(heap_, heap::collector_statistics().heap_bytes);
}

// Who does nothing allocates nothing, so the collector would not find out what is free.
bool HeapWatch::is_near_bound(bool idle) {
  constexpr double near = 0.9;
  bool full = bounds_.used() > near;
  if (full && idle && !std::exchange(collected_, true)) {
    heap::collect();
    full = bounds_.used() > near;
  }
  collected_ = collected_ && idle;
  return full;
}

// Where there are many, whoever knows something of this PE's is asked one of these times.
void HeapWatch::ask_others() {
  const auto others = tables_.others();
  for (std::size_t i = 0; i < std::min(others.size(), most_asked); ++i)
    fabric::send(outbox_, others[next_++ % others.size()], heap::Collect());
  if (others.size() > most_asked && tables_.self() != 0) fabric::send(outbox_, 0, heap::Collect());
}

}  // namespace trawl
