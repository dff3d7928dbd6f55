// Memory for nodes: each OS thread has free lists of its own.
#define GC_THREADS
#include <new>
#include <span>

#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/heap/when_full.hpp"

namespace trawl::heap {

struct NodeLists {
  static constexpr auto classes = Mutator::classes;
  static void*& of(Mutator& mutator, std::size_t size_class) { return mutator.free_[size_class]; }
};

namespace {

constinit int node_kind = 0;

void* allocate_large(std::size_t bytes) {
  introduce_thread();
  see_to_growth_if_any();
  void* node = GC_malloc(bytes);
  for (WhenFull full; node == nullptr && full.try_again();) node = GC_malloc(bytes);
  if (node == nullptr) throw std::bad_alloc();
  return node;
}

[[gnu::noinline]] void* refill(void*& list, std::size_t bytes) {
  see_to_growth_if_any();
  GC_generic_malloc_many(bytes, node_kind, &list);
  for (WhenFull full; list == nullptr && full.try_again();)
    GC_generic_malloc_many(bytes, node_kind, &list);
  if (list == nullptr) throw std::bad_alloc();
  return list;
}

void* take(void*& list, std::size_t bytes) {
  void* node = list != nullptr ? list : refill(list, bytes);
  list = GC_NEXT(node);
  GC_NEXT(node) = nullptr;
  return node;
}

std::size_t class_of(std::size_t bytes) {
  return (bytes + 15) / 16 - 1;
}

[[gnu::noinline]] void* allocate_slowly(std::size_t bytes) {
  torture();
  const auto size_class = class_of(bytes);
  if (size_class >= NodeLists::classes) return allocate_large(bytes);
  return take(NodeLists::of(mutator(), size_class), (size_class + 1) * 16);
}

}  // namespace

// With no call in it that comes back, it saves no registers.
void* allocate(std::size_t bytes) {
  const auto size_class = class_of(bytes);
  if (size_class < NodeLists::classes && this_mutator != nullptr && !tortured()) [[likely]] {
    void*& list = NodeLists::of(*this_mutator, size_class);
    if (void* node = list; node != nullptr) [[likely]] {
      list = GC_NEXT(node);
      GC_NEXT(node) = nullptr;
      return node;
    }
  }
  return allocate_slowly(bytes);
}

void allocate_many(std::size_t bytes, std::span<Node*> into) {
  torture();
  const auto size_class = class_of(bytes);
  if (size_class >= NodeLists::classes) {
    for (Node*& node : into) node = static_cast<Node*>(allocate_large(bytes));
    return;
  }
  void*& list = NodeLists::of(mutator(), size_class);
  for (Node*& node : into) node = static_cast<Node*>(take(list, (size_class + 1) * 16));
}

// As the collector's normal kind, but scanned to the end: others are a byte longer than asked for,
// for pointers past their end, and their last word is not. Nodes are never pointed past, and the
// byte would double the smallest.
void prepare_nodes() {
  node_kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
  make_sweepable(node_kind);
}

}  // namespace trawl::heap
