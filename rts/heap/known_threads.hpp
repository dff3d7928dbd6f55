// Which OS threads the collector knows: it stops and scans no others. For the files that call libgc
// (*_boehm.cpp).
#pragma once

#include <atomic>
#include <cstdint>

#include <gc/gc.h>
#include <gc/gc_mark.h>

#include "rts/heap/collect.hpp"

namespace trawl::heap {

enum class Registered : std::uint8_t { no, yes, leaving };
extern constinit thread_local Registered registered;

void register_thread();
void introduce_slowly();

/// To be called before the collector is asked for anything.
inline void introduce_thread() {
  if (registered != Registered::yes) [[unlikely]]
    introduce_slowly();
}

extern constinit std::atomic<unsigned> torture_every;
void collect_every(unsigned nth);

inline bool tortured() noexcept {
  return torture_every.load(std::memory_order_relaxed) != 0;
}
/// Before each allocation: see set_torture.
inline void torture() {
  if (tortured()) [[unlikely]]
    collect_every(torture_every.load(std::memory_order_relaxed));
}

/// How the heap grows: noted at the end of a collection, seen to where memory is taken. `took`: of
/// the processor, by this thread.
extern constinit std::atomic<bool> growth_to_see_to;
void note_collected(std::size_t allocated, std::size_t live, Nanos began, Nanos took) noexcept;
void see_to_growth() noexcept;
inline void see_to_growth_if_any() noexcept {
  if (growth_to_see_to.load(std::memory_order_relaxed)) [[unlikely]]
    see_to_growth();
}

/// While one lives the heap may pass its bound, by a megabyte: for what libgc ends the process
/// without.
class BeyondBound {
 public:
  BeyondBound();
  ~BeyondBound();
  BeyondBound(const BeyondBound&) = delete;
  BeyondBound& operator=(const BeyondBound&) = delete;
};

/// Until the second is called the heap may pass its bound by an eighth; false: it has none.
bool let_pass_bound() noexcept;
void let_pass_bound_no_more() noexcept;

/// Before a large block is taken: collects though there is room, where that takes little time.
void collect_early_if_cheap() noexcept;

/// From now on what is added to the heap is noted.
void watch_growth();
/// What was noted: before it is touched, where the system gives large pages to who asks. `most`:
/// bytes that the heap may have.
void put_growth_in_large_pages(std::size_t most) noexcept;
/// A block that nobody has touched, if it is long.
void put_in_large_pages(const void* block, std::size_t bytes) noexcept;

/// To be called once for each kind of which lists are taken. libgc makes a kind's table of pages to
/// sweep when a block of it is taken alone, or when a list can't be had as the heap is full; else
/// not. Without the table a collection leaves a kind's free lists as they are and frees the pages
/// their blocks were in; and uncollectable blocks that come from these lists are not marked, no
/// roots.
inline void make_sweepable(int kind) {
  GC_free(GC_generic_malloc(1, kind));
}

void prepare_nodes();

/// nullptr: the thread has none yet.
extern constinit thread_local Mutator* this_mutator;

/// Calls `f` with the collector's lock held.
template <class F>
void with_collector_lock(F f) {
  GC_call_with_alloc_lock(
      [](void* client) -> void* {
        (*static_cast<F*>(client))();
        return nullptr;
      },
      &f);
}

}  // namespace trawl::heap
