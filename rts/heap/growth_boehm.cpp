// Lets the collector's heap grow, and gives back what it does not need.
#define GC_THREADS
#include <algorithm>
#include <limits>
#include <mutex>

#include <gc/gc.h>

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
constinit std::atomic<std::size_t> wanted_growth{0};
constinit std::atomic<bool> wanted_soon{false};

constinit std::mutex bound_lock;
constinit std::size_t bound = 0;
constinit int passing = 0;  // who may not wait

std::size_t allowed() noexcept {
  return bound + (passing != 0 ? bound / 8 : 0);
}

// So many times as long as the last collection took has passed since.
bool is_seldom(Nanos times) noexcept {
  return wall_time() - last_ended >= times * last_took;
}

void collect_before_full(bool gives_back) {
  asked_for = true;
  if (gives_back)
    GC_gcollect_and_unmap();
  else
    GC_gcollect();
  asked_for = false;
}

}  // namespace

constinit std::atomic<bool> growth_to_see_to{false};

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
  wanted_soon = false;
  processor_time_then = processor_time;
  if (asked_for) return;
  wanted_growth = growth({GC_get_heap_size(), allocated, live, took, worked}, most_bytes);
  if (wanted_growth != 0) growth_to_see_to = true;
}

void see_to_growth() noexcept {
  growth_to_see_to = false;
  if (const auto bytes = wanted_growth.exchange(0); bytes != 0) GC_expand_hp(bytes);
  put_growth_in_large_pages(most_bytes);
}

// Its lock is held as long: who came between would set the bound back. Others may take of what is
// there now, so it is more than a thread needs.
BeyondBound::BeyondBound() {
  bound_lock.lock();
  if (bound == 0) return;
  constexpr std::size_t megabyte = 1U << 20U;
  GC_word mapped = 0;
  GC_word unmapped = 0;
  GC_get_heap_usage_safe(&mapped, nullptr, &unmapped, nullptr, nullptr);
  GC_set_max_heap_size(std::max<std::size_t>(allowed(), mapped + unmapped) + megabyte);
}

BeyondBound::~BeyondBound() {
  if (bound != 0) GC_set_max_heap_size(allowed());
  bound_lock.unlock();
}

constinit thread_local bool MayNotWait::here_ = false;

bool let_pass_bound() noexcept {
  const std::lock_guard hold(bound_lock);
  if (bound == 0) return false;
  ++passing;
  GC_set_max_heap_size(allowed());
  return true;
}

void let_pass_bound_no_more() noexcept {
  const std::lock_guard hold(bound_lock);
  --passing;
  GC_set_max_heap_size(allowed());
}

void start_collector(std::size_t initial_heap_bytes, std::size_t most) {
  introduce_thread();
  // Between two collections as much is allocated as is alive, or twice that.
  GC_set_free_space_divisor(1);
  {
    const std::lock_guard hold(bound_lock);
    bound = most;
    GC_set_max_heap_size(most);
  }
  watch_growth();
  initial_bytes = initial_heap_bytes;
  const auto has = GC_get_heap_size();
  if (has < initial_heap_bytes) GC_expand_hp(initial_heap_bytes - has);
}

void collect_early_if_cheap() noexcept {
  constexpr Nanos times = 19;
  constexpr std::size_t least = 16U << 20U;
  const bool much = GC_get_bytes_since_gc() >= std::max(least, live_at_last / 2);
  if ((much || wanted_soon) && is_seldom(times)) collect_before_full(false);
}

void collect_soon() noexcept {
  wanted_soon = true;
}

bool collect_if_seldom(bool gives_back) {
  constexpr Nanos times = 9;
  if (!is_seldom(times)) return false;
  introduce_thread();
  collect_before_full(gives_back);
  return true;
}

// The collector unmaps what many collections running have not found in use (collect_boehm.cpp); who
// allocates little waits for that for ever.
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
