// A heap without collection, for builds under a sanitizer.
#include <cstdlib>
#include <new>

#include "rts/heap/collect.hpp"

namespace trawl::heap {

void* allocate(std::size_t bytes) {
  void* memory = std::calloc(1, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void allocate_many(std::size_t bytes, std::span<Node*> into) {
  for (Node*& node : into) node = static_cast<Node*>(allocate(bytes));
}

void start_collector(std::size_t, std::size_t) {}
void let_heap_grow(std::size_t) {}
void give_back(Nanos) {}
bool collect_if_seldom(bool) {
  return true;
}
void collect_soon() noexcept {}
void expect_others_to_let_go() noexcept {}
bool take_somebody_waits() noexcept {
  return false;
}
constinit thread_local bool MayNotWait::here_ = false;
void stop_collecting() {}

void collect() {}
void set_torture(unsigned) {}
CollectorStatistics collector_statistics() {
  return {};
}
Nanos collecting_time_here() noexcept {
  return 0;
}
void set_collection_hook(void (*)(bool)) {}

Mutator::Mutator() = default;
Mutator::~Mutator() = default;

void add_stack(StackRecord&) noexcept {}
void remove_stack(StackRecord&) noexcept {}

Mutator& mutator() {
  thread_local Mutator here;
  return here;
}

void add_roots(RootSource&) {}
void remove_roots(RootSource&) {}

}  // namespace trawl::heap
