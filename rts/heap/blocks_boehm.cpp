#define GC_THREADS
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>

#include "rts/heap/blocks.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/heap/when_full.hpp"
#include "rts/inline/tally.hpp"

namespace trawl::heap {
namespace {

// Multiples of 16 that leave little of a page (what is larger than 2032 bytes the collector gives
// one by one); then whole pages, of uncollectable memory only.
constexpr std::array<std::uint32_t, 28> sizes = {
    16,  32,  48,  64,  80,  96,  112, 128,  144,  160,  176,  192,  208,   224,
    240, 256, 320, 400, 512, 672, 816, 1024, 1360, 2032, 4096, 8192, 16384, 32768};
constexpr std::size_t small_classes = 24;
constexpr std::size_t page = 4096;
constexpr std::size_t no_class = sizes.size();

constexpr auto class_by_granules = [] {
  std::array<std::uint8_t, sizes[small_classes - 1] / 16 + 1> classes{};
  for (std::size_t granules = 1, at = 0; granules < classes.size(); ++granules) {
    if (granules * 16 > sizes[at]) ++at;
    classes[granules] = static_cast<std::uint8_t>(at);
  }
  return classes;
}();

/// A pointer past the end of such a block, if it is the last of its page, belongs to what follows:
/// a node, perhaps, and all that it leads to. So a byte more is taken, or that block never.
constexpr bool fills_pages(std::size_t size) noexcept {
  return size >= page ? size % page == 0 : std::has_single_bit(size);
}
constexpr std::size_t most_left_out = 128;  // of a page

std::size_t class_of(BlockKind kind, std::size_t size) noexcept {
  if (size <= sizes[small_classes - 1]) [[likely]]
    return class_by_granules[(size + 15) / 16];
  if (kind != BlockKind::uncollectable) return no_class;
  std::size_t at = small_classes;
  while (at != no_class && size > sizes[at]) ++at;
  return at;
}

// What may be collected is a byte longer than asked for: pointers past its end belong to it.
std::size_t class_for(BlockKind kind, std::size_t size) noexcept {
  const bool longer =
      kind != BlockKind::uncollectable || (size > most_left_out && fills_pages(size));
  return class_of(kind, size + (longer ? 1 : 0));
}

constexpr auto enough = [] {  // of a size: a page
  std::array<std::uint16_t, sizes.size()> counts{};
  for (std::size_t at = 0; at < sizes.size(); ++at)
    counts[at] = static_cast<std::uint16_t>((page + sizes[at] - 1) / sizes[at]);
  return counts;
}();

/// Blocks of a size, each with a reference to the next in its first word. All else in them is 0,
/// but for plain ones.
struct List {
  void* first = nullptr;
  std::size_t count = 0;
};

/// One that blocks are taken from and given to. It counts what is in it, and what has been taken so
/// far, in one word: so the latter costs no instruction.
class OpenList {
 public:
  void* first = nullptr;

  std::size_t count() const noexcept { return counts_ % one_taken; }
  /// By any thread.
  std::uint64_t taken() const noexcept {
    return __atomic_load_n(&counts_, __ATOMIC_RELAXED) / one_taken;
  }
  void took() noexcept { counts_ += one_taken - 1; }
  void got() noexcept { ++counts_; }

  /// It holds so many now, and what was taken is forgotten.
  void set_count(std::size_t count) noexcept { counts_ = count; }

 private:
  static constexpr std::uint64_t one_taken = 1U << 16U;  // there is a page or two

  std::uint64_t counts_ = 0;  // a Tally would cost its user two registers more
};

// A thread may be stopped between any two steps, and what is kept must be in a list then, or in a
// register.
void step() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Lists that threads had too much of, for those that have none: uncollectable ones only.
class Depot {
 public:
  bool give(std::size_t at, List list) noexcept {
    const std::lock_guard lock(lock_);
    Shelf& shelf = shelves_[at];
    if (shelf.count == shelf.lists.size()) return false;
    shelf.lists[shelf.count++] = list;
    return true;
  }

  List take(std::size_t at) noexcept {
    const std::lock_guard lock(lock_);
    Shelf& shelf = shelves_[at];
    return shelf.count != 0 ? shelf.lists[--shelf.count] : List{};
  }

 private:
  struct Shelf {
    std::array<List, 64> lists;  // 256 KiB of most sizes
    std::size_t count = 0;
  };
  std::mutex lock_;
  std::array<Shelf, sizes.size()> shelves_;
};

constinit Depot depot;

void give_list_back(std::size_t at, List list) noexcept {
  if (list.first == nullptr || depot.give(at, list)) return;
  while (list.first != nullptr) GC_free(std::exchange(list.first, GC_NEXT(list.first)));
}

/// What one thread keeps.
class Kept {
 public:
  void* get(BlockKind kind, std::size_t at) noexcept {
    Pair& pair = pair_of(kind, at);
    void* block = pair.open.first;
    if (block == nullptr) [[unlikely]] {
      refill(pair, kind, at);
      block = pair.open.first;
      if (block == nullptr) return nullptr;
    }
    pair.open.first = GC_NEXT(block);
    pair.open.took();
    step();
    GC_NEXT(block) = nullptr;
    return block;
  }

  void give(BlockKind kind, std::size_t at, void* block) noexcept {
    Pair& pair = pair_of(kind, at);
    if (pair.open.count() >= enough[at]) [[unlikely]]
      make_room(pair, kind, at);
    if (kind != BlockKind::plain) std::memset(block, 0, sizes[at]);
    GC_NEXT(block) = pair.open.first;
    step();
    pair.open.first = block;
    pair.open.got();
  }

  void give_all_back() noexcept {
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      Pair& pair = pair_of(BlockKind::uncollectable, at);
      give_list_back(at, {std::exchange(pair.open.first, nullptr), pair.open.count()});
      give_list_back(at, std::exchange(pair.full, {}));
    }
  }

  // Not uncollectable ones, which always are marked.
  void mark() const noexcept {
    for (const auto kind : {BlockKind::plain, BlockKind::normal})
      for (const Pair& pair : pairs_[static_cast<std::size_t>(kind)])
        for (void* list : {pair.open.first, pair.full.first})
          for (void* block = list; block != nullptr; block = GC_NEXT(block)) GC_set_mark_bit(block);
  }

  /// See reused_bytes.
  std::uint64_t reused() const noexcept {
    std::uint64_t sum = reused_.value();
    for (const auto& pairs : pairs_)
      for (std::size_t at = 0; at < sizes.size(); ++at) sum += pairs[at].open.taken() * sizes[at];
    return sum;
  }

  Kept* next = nullptr;
  Kept* previous = nullptr;

 private:
  // Taken from and given to one by one; and another, so that a thread which makes and drops at the
  // border between two lists goes to the depot for neither.
  struct Pair {
    OpenList open;
    List full;
  };

  Pair& pair_of(BlockKind kind, std::size_t at) noexcept {
    return pairs_[static_cast<std::size_t>(kind)][at];
  }

  // Of the calling thread's: handed another argument, their callers would save another register.
  [[gnu::noinline]] static void refill(Pair& pair, BlockKind kind, std::size_t at) noexcept;
  [[gnu::noinline]] static void make_room(Pair& pair, BlockKind kind, std::size_t at) noexcept;
  static bool leave_out_last(OpenList& open, std::size_t at) noexcept;
  static void set_count(OpenList& open, std::size_t at, std::size_t count) noexcept;

  std::array<std::array<Pair, sizes.size()>, 3> pairs_;
  Tally reused_;  // in lists that are no longer open
};

constinit thread_local Kept* kept_here = nullptr;

// Other blocks are in it now.
void Kept::set_count(OpenList& open, std::size_t at, std::size_t count) noexcept {
  kept_here->reused_.add(open.taken() * sizes[at]);
  open.set_count(count);
}

// Of each page that is in the list. False: there was nothing else in it.
bool Kept::leave_out_last(OpenList& open, std::size_t at) noexcept {
  if (sizes[at] > most_left_out || !fills_pages(sizes[at])) return true;
  for (void** next = &open.first; *next != nullptr;) {
    if ((reinterpret_cast<std::uintptr_t>(*next) + sizes[at]) % page == 0)
      *next = GC_NEXT(*next);
    else
      next = &GC_NEXT(*next);
  }
  return open.first != nullptr;
}

void Kept::refill(Pair& pair, BlockKind kind, std::size_t at) noexcept {
  if (pair.full.first == nullptr && kind == BlockKind::uncollectable) pair.full = depot.take(at);
  if (pair.full.first != nullptr) {
    pair.open.first = pair.full.first;
    set_count(pair.open, at, pair.full.count);
    step();
    pair.full = {};
    return;
  }
  see_to_growth_if_any();
  OpenList& open = pair.open;
  const auto take = [&open, kind, at] {
    // One byte less: the collector would add one, and so a page.
    if (at >= small_classes)
      open.first = GC_malloc_uncollectable(sizes[at] - 1);
    else
      GC_generic_malloc_many(sizes[at], static_cast<int>(kind), &open.first);
    return open.first != nullptr;
  };
  do {
    WhenFull full(false);
    while (!take() && full.try_again()) {
    }
  } while (kind == BlockKind::uncollectable && open.first != nullptr && !leave_out_last(open, at));
  std::size_t count = 0;
  for (void* block = open.first; block != nullptr; block = GC_NEXT(block)) ++count;
  set_count(open, at, count);
  kept_here->reused_.add(-count * sizes[at]);
  if (at >= small_classes || kind != BlockKind::uncollectable) return;
  // As GC_malloc_uncollectable does and GC_free expects: this memory brings no collection nearer.
  with_collector_lock(
      [bytes = count * sizes[at]] { GC_set_non_gc_bytes(GC_get_non_gc_bytes() + bytes); });
}

// Of what may be collected, too much is garbage again.
void Kept::make_room(Pair& pair, BlockKind kind, std::size_t at) noexcept {
  const List before = pair.full;
  pair.full = {pair.open.first, pair.open.count()};
  step();
  pair.open.first = nullptr;
  set_count(pair.open, at, 0);
  if (kind == BlockKind::uncollectable) give_list_back(at, before);
}

// Changed only with the collector's lock held.
constinit Kept* first_kept = nullptr;
constinit std::uint64_t reused_before = 0;  // by threads that have ended

// nullptr: the thread is ending, and no longer known.
[[gnu::noinline]] Kept* begin_to_keep() noexcept {
  introduce_thread();
  void* memory = registered != Registered::leaving ? std::malloc(sizeof(Kept)) : nullptr;
  if (memory == nullptr) return nullptr;
  Kept* kept = new (memory) Kept();
  with_collector_lock([kept] {
    kept->next = first_kept;
    if (first_kept != nullptr) first_kept->previous = kept;
    first_kept = kept;
  });
  return kept_here = kept;
}

[[gnu::noinline]] void* get_directly(BlockKind kind, std::size_t size) noexcept {
  introduce_thread();
  const bool guest = registered == Registered::leaving;
  if (guest) register_thread();
  see_to_growth_if_any();
  collect_early_if_cheap();
  const auto take = [=] {
    return kind == BlockKind::uncollectable ? GC_malloc_uncollectable(size)
           : kind == BlockKind::normal      ? GC_malloc(size)
                                            : GC_malloc_atomic(size);
  };
  void* block = take();
  for (WhenFull full; block == nullptr && full.try_again();) block = take();
  if (kind == BlockKind::plain) put_in_large_pages(block, size);
  if (guest) GC_unregister_my_thread();
  return block;
}

}  // namespace

BlockKind kind_of(const void* block) noexcept {
  return static_cast<BlockKind>(GC_get_kind_and_size(block, nullptr));
}

void* get_block(BlockKind kind, std::size_t size) noexcept {
  Kept* kept = kept_here;
  if (kept == nullptr) [[unlikely]]
    kept = begin_to_keep();
  const auto at = class_for(kind, size);
  if (kept == nullptr || at == no_class) [[unlikely]]
    return get_directly(kind, size);
  return kept->get(kind, at);
}

void give_block(void* block) noexcept {
  if (block == nullptr) return;
  std::size_t size = 0;
  const auto kind = static_cast<BlockKind>(GC_get_kind_and_size(block, &size));
  Kept* kept = kept_here;
  // Of a class: else it was not got here, but directly.
  if (kept != nullptr && size <= sizes.back()) [[likely]] {
    const auto at = class_of(BlockKind::uncollectable, size);
    if (sizes[at] == size && (at < small_classes || kind == BlockKind::uncollectable)) [[likely]]
      return kept->give(kind, at, block);
  }
  GC_free(block);
}

void keep_no_more_blocks() noexcept {
  Kept* kept = std::exchange(kept_here, nullptr);
  if (kept == nullptr) return;
  with_collector_lock([kept] {
    (kept->previous != nullptr ? kept->previous->next : first_kept) = kept->next;
    if (kept->next != nullptr) kept->next->previous = kept->previous;
    reused_before += kept->reused();
  });
  kept->give_all_back();
  std::free(kept);
}

std::size_t reused_bytes() noexcept {
  std::uint64_t sum = 0;
  with_collector_lock([&sum] {
    sum = reused_before;
    for (const Kept* kept = first_kept; kept != nullptr; kept = kept->next) sum += kept->reused();
  });
  return sum;
}

void mark_kept_blocks() noexcept {
  for (const Kept* kept = first_kept; kept != nullptr; kept = kept->next) kept->mark();
}

}  // namespace trawl::heap
