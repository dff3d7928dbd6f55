// Memory for nodes: each OS thread has free lists of its own.
#define GC_THREADS
#include <new>
#include <span>

#include <gc/gc.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/known_threads.hpp"

namespace trawl::heap {
namespace {

constinit int node_kind = 0;

void* allocate_large(std::size_t bytes) {
  introduce_thread();
  grow_if_wanted();
  void* node = GC_malloc(bytes);
  if (node == nullptr) throw std::bad_alloc();
  return node;
}

[[gnu::noinline]] void* refill(void*& list, std::size_t bytes) {
  grow_if_wanted();
  GC_generic_malloc_many(bytes, node_kind, &list);
  if (list == nullptr) throw std::bad_alloc();
  return list;
}

inline void* take(void*& list, std::size_t bytes) {
  void* node = list;
  if (node == nullptr) [[unlikely]]
    node = refill(list, bytes);
  list = GC_NEXT(node);
  GC_NEXT(node) = nullptr;
  return node;
}

}  // namespace

void* allocate(std::size_t bytes) {
  torture();
  const auto size_class = (bytes + 15) / 16 - 1;
  if (size_class >= Mutator::classes) return allocate_large(bytes);
  return take(mutator().free_[size_class], (size_class + 1) * 16);
}

void allocate_many(std::size_t bytes, std::span<Node*> into) {
  torture();
  const auto size_class = (bytes + 15) / 16 - 1;
  if (size_class >= Mutator::classes) {
    for (Node*& node : into) node = static_cast<Node*>(allocate_large(bytes));
    return;
  }
  void*& list = mutator().free_[size_class];
  for (Node*& node : into) node = static_cast<Node*>(take(list, (size_class + 1) * 16));
}

// As the collector's normal kind, but scanned to the end: others are a byte longer than asked for,
// for pointers past their end, and their last word is not. Nodes are never pointed past, and the
// byte would double the smallest.
void prepare_nodes() {
  node_kind = static_cast<int>(GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1));
}

}  // namespace trawl::heap
