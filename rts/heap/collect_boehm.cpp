#define GC_THREADS
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <link.h>

#include "rts/heap/blocks.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/heap/visible.hpp"
#include "rts/heap/weak.hpp"
#include "rts/host/clocks.hpp"
#include "rts/host/share.hpp"

namespace trawl::heap {
namespace {

constinit std::atomic<bool> started{false};
constinit std::atomic<unsigned> torture_count{0};
constinit std::atomic<void (*)(bool)> collection_hook{nullptr};

// Changed only with the collector's own lock held.
constinit Mutator* mutators[2048] = {};
constinit std::size_t mutator_count = 0;
// Never destroyed: the program's static objects are, later, and may allocate.
constinit union Sources {
  std::vector<RootSource*, PlainAllocator<RootSource*>> list;
  constexpr Sources() noexcept : list() {}
  ~Sources() {}
} root_sources;
constinit Nanos collection_began = 0;
constinit Nanos collection_began_here = 0;  // of its thread's processor time
constinit thread_local Nanos collecting_here = 0;
constinit std::size_t allocated_before = 0;
constinit GC_word collections_at_start = 0;  // of an empty heap, where it begins
constinit std::atomic<Nanos> collection_time{0};
constinit std::atomic<Nanos> last_collection{0};
constinit std::atomic<std::size_t> live_bytes{0};
constinit GC_push_other_roots_proc other_roots_before = nullptr;

/// All stacks of Trawl threads, whichever OS thread they are on.
class Stacks {
 public:
  void add(StackRecord& stack) noexcept {
    lock();
    stack.next = first_;
    stack.previous = nullptr;
    if (first_ != nullptr) first_->previous = &stack;
    first_ = &stack;
    unlock();
  }

  void remove(StackRecord& stack) noexcept {
    lock();
    (stack.previous != nullptr ? stack.previous->next : first_) = stack.next;
    if (stack.next != nullptr) stack.next->previous = stack.previous;
    unlock();
  }

  // The collector takes it before it stops the others: none of them holds it then.
  void lock() noexcept {
    while (locked_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  }
  void unlock() noexcept { locked_.clear(std::memory_order_release); }

  /// With the lock held.
  const StackRecord* first() const noexcept { return first_; }

 private:
  std::atomic_flag locked_;
  StackRecord* first_ = nullptr;
};

constinit Stacks stacks;

// Its destructor tells the collector that the thread ends.
struct Leaver {
  bool armed = false;
  ~Leaver() {
    if (!armed) return;
    registered = Registered::leaving;
    keep_no_more_blocks();
    GC_unregister_my_thread();
  }
};
thread_local Leaver leaver;

}  // namespace

struct CollectorHooks {
  // No thread may be between two stacks while the collector looks, and each must be scanned up to
  // the end of the stack it is on: see "Stacks" in README.md.
  static void event(GC_EventType type) {
    if (type == GC_EVENT_PRE_STOP_WORLD) {
      collection_began = wall_time();
      collection_began_here = processor_time();
      allocated_before = GC_get_bytes_since_gc();
      if (auto* hook = collection_hook.load()) hook(true);
      stacks.lock();
      for (std::size_t i = 0; i < mutator_count; ++i) {
        Mutator& m = *mutators[i];
        m.begin_switch();
        GC_stack_base base{};
        base.mem_base = m.current_->base;
        GC_set_stackbottom(m.handle_, &base);
      }
    } else if (type == GC_EVENT_POST_START_WORLD) {
      for (std::size_t i = 0; i < mutator_count; ++i)
        mutators[i]->switching_.clear(std::memory_order_release);
      stacks.unlock();
      if (auto* hook = collection_hook.load()) hook(false);
      last_collection = wall_time() - collection_began;
      collecting_here += processor_time() - collection_began_here;
      collection_time += last_collection;
    } else if (type == GC_EVENT_MARK_END) {
      begin_to_cut_links();
      for (auto* source : root_sources.list) source->forget_the_dead(&lives);
    } else if (type == GC_EVENT_RECLAIM_START) {
      cut_links_to_the_dead();
    } else if (type == GC_EVENT_RECLAIM_END) {
      live_bytes = GC_get_heap_size() - GC_get_free_bytes();
      note_collected(allocated_before, live_bytes, collection_began,
                     processor_time() - collection_began_here);
    }
  }

  static void push_roots() {
    mark_kept_blocks();
    for (std::size_t i = 0; i < mutator_count; ++i) {
      Mutator& m = *mutators[i];
      push(m.native_);
      for (const auto block : m.thread_locals_)
        GC_push_all_eager(block.data(), block.data() + block.size());
    }
    for (auto* stack = stacks.first(); stack != nullptr; stack = stack->next) push(*stack);
    for (const auto* source : root_sources.list) source->roots(&scan);
    if (other_roots_before != nullptr) other_roots_before();
  }

  static void scan(std::span<const std::byte> roots) {
    GC_push_all_eager(const_cast<std::byte*>(roots.data()),
                      const_cast<std::byte*>(roots.data() + roots.size()));
  }

  // The collector's own question may only be asked of what was there before this collection.
  static bool lives(const void* object) {
    return GC_base(const_cast<void*>(object)) == object && GC_is_marked(object) != 0;
  }

  static void push(const StackRecord& stack) {
    if (stack.stack_pointer != nullptr) GC_push_all_eager(stack.stack_pointer, stack.base);
  }

  static bool has_stack_between(const void* begin, const void* end) {
    const auto between = [=](const StackRecord& stack) {
      return stack.base > begin && stack.base <= end;
    };
    for (std::size_t i = 0; i < mutator_count; ++i)
      if (between(mutators[i]->native_)) return true;
    stacks.lock();
    auto* stack = stacks.first();
    while (stack != nullptr && !between(*stack)) stack = stack->next;
    stacks.unlock();
    return stack != nullptr;
  }

  static void enter(Mutator& m) {
    with_collector_lock([&m] {
      if (mutator_count == std::size(mutators)) std::abort();
      mutators[mutator_count++] = &m;
    });
  }

  static void leave(Mutator& m) {
    with_collector_lock([&m] {
      GC_stack_base base{};
      base.mem_base = m.native_.base;
      GC_set_stackbottom(m.handle_, &base);
      for (std::size_t i = 0; i < mutator_count; ++i)
        if (mutators[i] == &m) mutators[i--] = mutators[--mutator_count];
    });
  }
};

namespace {

// While this PE stands still its share of the host's cores can mark; more would take those of other
// PEs. It is before main: only the environment tells of them.
unsigned markers() {
  const char* pes = std::getenv("MPI_LOCALNRANKS");
  if (pes == nullptr && std::getenv("PMI_RANK") != nullptr) return 1;
  const int sharers = pes != nullptr ? std::max(1, std::atoi(pes)) : 1;
  return static_cast<unsigned>(std::max(1, usable_cores() / sharers));
}

// Without memory for it libgc ends the process later. (Without a larger one it goes on.)
void make_first_table() {
  void* const object = GC_malloc_atomic(1);
  GC_register_finalizer_no_order(
      object, [](void*, void*) {}, nullptr, nullptr, nullptr);
  GC_register_finalizer_no_order(object, nullptr, nullptr, nullptr, nullptr);
}

// Memory goes back to the system after so many collections. After six, as the collector would by
// itself, what a step of an iteration needs had often gone back, and was cleared again by the
// system. (It can only be told by its environment; what the program starts has its own.)
void init_unmapping_late() {
  constexpr auto name = "GC_UNMAP_THRESHOLD";
  const bool told = std::getenv(name) != nullptr;
  if (!told) setenv(name, "64", 0);
  GC_INIT();
  if (!told) unsetenv(name);
}

void start() {
  GC_set_markers_count(markers());
  GC_set_finalize_on_demand(1);
  GC_set_all_interior_pointers(1);  // marked sparks, ends of containers, over-aligned blocks
  GC_set_warn_proc(GC_ignore_warn_proc);
  init_unmapping_late();
  collections_at_start = GC_get_gc_no();
  GC_allow_register_threads();
  make_first_table();
  for (const auto kind : {BlockKind::plain, BlockKind::normal, BlockKind::uncollectable})
    make_sweepable(static_cast<int>(kind));
  prepare_nodes();
  other_roots_before = GC_get_push_other_roots();
  GC_set_push_other_roots(&CollectorHooks::push_roots);
  GC_set_on_collection_event(&CollectorHooks::event);
  registered = Registered::yes;
  started = true;
}

}  // namespace

constinit thread_local Registered registered = Registered::no;
constinit std::atomic<unsigned> torture_every{0};

void register_thread() {
  GC_stack_base base;
  GC_get_stack_base(&base);
  const BeyondBound memory_for_it;
  GC_register_my_thread(&base);
}

void introduce_slowly() {
  if (!started) return start();  // the first allocation, in the static initialisers
  if (registered == Registered::leaving) return;
  register_thread();
  registered = Registered::yes;
  leaver.armed = true;
}

void collect_every(unsigned nth) {
  if (++torture_count % nth != 0) return;
  introduce_thread();
  GC_gcollect();
}

namespace {

int note_thread_locals(dl_phdr_info* info, std::size_t size, void* into) {
  if (size < sizeof(dl_phdr_info) || info->dlpi_tls_data == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_TLS)
      static_cast<Mutator::ThreadLocals*>(into)->emplace_back(
          static_cast<std::byte*>(info->dlpi_tls_data), segment.p_memsz);
  }
  return 0;
}

}  // namespace

Mutator::Mutator() {
  introduce_thread();
  GC_stack_base base;
  handle_ = GC_get_my_stackbottom(&base);
  native_.base = base.mem_base;
  dl_iterate_phdr(&note_thread_locals, &thread_locals_);
  CollectorHooks::enter(*this);
}

Mutator::~Mutator() {
  CollectorHooks::leave(*this);
}

void add_stack(StackRecord& stack) noexcept {
  stacks.add(stack);
}

void remove_stack(StackRecord& stack) noexcept {
  stacks.remove(stack);
}

constinit thread_local Mutator* this_mutator = nullptr;

namespace {

struct MutatorOwner {
  Mutator* owned = nullptr;
  ~MutatorOwner() {
    this_mutator = nullptr;
    delete owned;
  }
};
thread_local MutatorOwner mutator_owner;

[[gnu::noinline]] Mutator& make_mutator() {
  introduce_thread();
  mutator_owner.owned = this_mutator = new Mutator;
  return *this_mutator;
}

}  // namespace

Mutator& mutator() {
  return this_mutator != nullptr ? *this_mutator : make_mutator();
}

bool has_stack_between(const void* begin, const void* end) noexcept {
  bool found = false;
  with_collector_lock([&] { found = CollectorHooks::has_stack_between(begin, end); });
  return found;
}

void add_roots(RootSource& source) {
  introduce_thread();
  with_collector_lock([&source] {
    source.place_ = root_sources.list.size();
    root_sources.list.push_back(&source);
  });
}

void remove_roots(RootSource& source) {
  with_collector_lock([&source] {
    auto& list = root_sources.list;
    list.back()->place_ = source.place_;
    list[source.place_] = list.back();
    list.pop_back();
  });
}

void stop_collecting() {
  GC_disable();
}

void collect() {
  introduce_thread();
  GC_gcollect();
}

void set_torture(unsigned every) {
  torture_every = every;
}

CollectorStatistics collector_statistics() {
  GC_word heap = 0;
  GC_word free = 0;
  GC_word given = 0;
  GC_get_heap_usage_safe(&heap, &free, nullptr, nullptr, &given);
  return {.collections = GC_get_gc_no() - collections_at_start,
          .time = collection_time,
          .last = last_collection,
          .heap_bytes = heap,
          .free_bytes = free,
          .live_bytes = live_bytes,
          .allocated_bytes = given + reused_bytes()};
}

Nanos collecting_time_here() noexcept {
  return collecting_here;
}

void set_collection_hook(void (*hook)(bool)) {
  collection_hook = hook;
}

}  // namespace trawl::heap
