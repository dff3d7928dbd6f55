// Lets the collector's heap grow, and gives back what it does not need.
#define GC_THREADS
#include <algorithm>
#include <cstdint>
#include <limits>

#include <gc/gc.h>
#include <sys/mman.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/heap_size.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/host/clocks.hpp"

namespace trawl::heap {
namespace {

constinit std::atomic<std::size_t> most_bytes{0};
// Written with the collector's lock held.
constinit std::atomic<Nanos> last_ended{0};
constinit std::atomic<Nanos> last_took{0};  // of its thread's time on the processor
constinit Nanos processor_time_then = 0;    // of all threads
constinit std::size_t initial_bytes = 0;
constinit std::atomic<std::size_t> live_at_last{0};
constinit std::atomic<GC_word> gave_back{0};   // after which collection
constinit std::atomic<bool> asked_for{false};  // it would not have been collected yet

}  // namespace

constinit std::atomic<bool> growth_to_see_to{false};

namespace {

constinit std::atomic<std::size_t> wanted_growth{0};
constinit std::atomic<std::size_t> grown{0};  // bytes that nobody has looked at yet
constinit std::size_t heap_size = 0;          // with the collector's lock held

// The collector holds its lock, and tells where the new memory is to nobody.
void note_size(GC_word size) {
  if (heap_size != 0 && size > heap_size) {
    grown += size - heap_size;
    growth_to_see_to = true;
  }
  heap_size = size;
}

std::uintptr_t large_page_of(const void* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) & ~(large_page - 1);
}

/// A block in large pages, to be given back; what lies behind it, up to `bytes` in all, is to lie
/// in some too. The collector has written to both ends of the block, so these pages are made large
/// now.
void* block_in_large_pages(std::size_t size, std::size_t bytes) noexcept {
  constexpr int collapse = 25;  // MADV_COLLAPSE, from Linux 6.1 on
  auto* const block = static_cast<std::byte*>(GC_malloc_atomic_ignore_off_page(size));
  if (block == nullptr) return nullptr;
  ask_for_large_pages(block, bytes);
  for (const auto* end : {block, block + size - 1})
    madvise(reinterpret_cast<void*>(large_page_of(end)), large_page, collapse);
  return block;
}

// By itself the collector makes the heap 8 MB larger at a time: that has just been begun, so a
// block of most of it can lie nowhere else. As these begin anywhere, an eighth of the heap is
// added. (The collector adds a byte to what it is asked for, and the system begins whole large
// pages where one may lie.)
void look_at_growth() noexcept {
  const auto bytes = grown.exchange(0);
  const auto heap = GC_get_heap_size();
  const auto eighth = (heap / 8 / large_page + 1) * large_page - 1;
  if (bytes < 2 * large_page || heap + eighth > most_bytes) return;
  void* const rest = block_in_large_pages(bytes - bytes / 4, bytes);
  if (bytes < eighth) GC_free(block_in_large_pages(eighth, eighth));
  GC_free(rest);
  grown = 0;  // what these have added
}

}  // namespace

// The collector holds its lock: it can't be asked for more yet.
// Where several PEs share a core, most of the time that a collection takes is theirs.
void note_collected(std::size_t allocated, std::size_t live, Nanos began, Nanos took) noexcept {
  const auto processor_time = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  const auto worked =
      last_ended == 0 ? std::numeric_limits<Nanos>::max()
                      : std::min(began - last_ended, processor_time - took - processor_time_then);
  last_ended = wall_time();
  last_took = took;
  live_at_last = live;
  processor_time_then = processor_time;
  if (!asked_for)
    wanted_growth = growth({GC_get_heap_size(), allocated, live, took, worked}, most_bytes);
  if (wanted_growth != 0) growth_to_see_to = true;
}

void ask_for_large_pages(const void* block, std::size_t bytes) noexcept {
  const auto begin = large_page_of(block);
  const auto end = large_page_of(static_cast<const std::byte*>(block) + bytes - 1) + large_page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

void see_to_growth() noexcept {
  growth_to_see_to = false;
  if (const auto bytes = wanted_growth.exchange(0); bytes != 0) GC_expand_hp(bytes);
  look_at_growth();
}

void start_collector(std::size_t initial_heap_bytes, std::size_t most) {
  introduce_thread();
  // Between two collections as much is allocated as is alive, or twice that.
  GC_set_free_space_divisor(1);
  GC_set_max_heap_size(most);
  GC_set_on_heap_resize(&note_size);
  initial_bytes = initial_heap_bytes;
  const auto has = GC_get_heap_size();
  if (has < initial_heap_bytes) GC_expand_hp(initial_heap_bytes - has);
}

void collect_early_if_cheap() noexcept {
  constexpr Nanos times = 19;
  constexpr std::size_t least = 16U << 20U;
  if (GC_get_bytes_since_gc() < std::max(least, live_at_last / 2)) return;
  if (wall_time() - last_ended < times * last_took) return;
  GC_gcollect();
}

bool collect_if_seldom(bool gives_back) {
  constexpr Nanos times = 9;
  if (wall_time() - last_ended < times * last_took) return false;
  introduce_thread();
  asked_for = true;
  if (gives_back)
    GC_gcollect_and_unmap();
  else
    GC_gcollect();
  asked_for = false;
  return true;
}

// The collector unmaps what no collection has found in use six times running; who allocates little
// waits for that for ever.
void give_back(Nanos stale) {
  if (GC_get_heap_size() < 2 * initial_bytes) return;
  if (wall_time() - last_ended <= stale) return;
  const bool little = GC_get_bytes_since_gc() < GC_get_heap_size() / 16;
  if (little && GC_get_gc_no() == gave_back) return;
  for (int i = 0; i < 2; ++i) GC_gcollect();
  GC_gcollect_and_unmap();  // what was free before both
  gave_back = GC_get_gc_no();
}

void let_heap_grow(std::size_t most) {
  most_bytes = most;
}

}  // namespace trawl::heap
