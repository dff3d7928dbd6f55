// What is new in the collector's heap lies in large pages: see "In large pages" in README.md.
#define GC_THREADS
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <gc/gc.h>
#include <sys/mman.h>

#include "rts/heap/known_threads.hpp"

namespace trawl::heap {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21U;

constinit std::atomic<std::size_t> grown{0};  // bytes that nobody has looked at yet
constinit std::size_t size_then = 0;          // with the collector's lock held

// The collector holds its lock, and tells where the new memory is to nobody.
void note_size(GC_word size) {
  if (size_then != 0 && size > size_then) {
    grown += size - size_then;
    growth_to_see_to = true;
  }
  size_then = size;
}

std::uintptr_t large_page_of(const void* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) & ~(large_page - 1);
}

void ask_for_large_pages(const void* memory, std::size_t bytes) noexcept {
  const auto begin = large_page_of(memory);
  const auto end = large_page_of(static_cast<const std::byte*>(memory) + bytes - 1) + large_page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// A block in large pages, to be given back; what lies behind it, up to `bytes` in all, is to lie in
// some too. The collector has written to both ends of the block, so these pages are made large now.
void* block_in_large_pages(std::size_t size, std::size_t bytes) noexcept {
  constexpr int collapse = 25;  // MADV_COLLAPSE, from Linux 6.1 on
  auto* const block = static_cast<std::byte*>(GC_malloc_atomic_ignore_off_page(size));
  if (block == nullptr) return nullptr;
  ask_for_large_pages(block, bytes);
  for (const auto* end : {block, block + size - 1})
    madvise(reinterpret_cast<void*>(large_page_of(end)), large_page, collapse);
  return block;
}

}  // namespace

void watch_growth() {
  GC_set_on_heap_resize(&note_size);
}

// By itself the collector makes the heap 8 MB larger at a time: that has just been begun, so a
// block of most of it can lie nowhere else. As these begin anywhere, an eighth of the heap is
// added. (The collector adds a byte to what it is asked for, and the system begins whole large
// pages where one may lie.)
void put_growth_in_large_pages(std::size_t most) noexcept {
  const auto bytes = grown.exchange(0);
  const auto heap = GC_get_heap_size();
  const auto eighth = (heap / 8 / large_page + 1) * large_page - 1;
  if (bytes < 2 * large_page || heap + eighth > most) return;
  void* const rest = block_in_large_pages(bytes - bytes / 4, bytes);
  if (bytes < eighth) GC_free(block_in_large_pages(eighth, eighth));
  GC_free(rest);
  grown = 0;  // what these have added
}

void put_in_large_pages(const void* block, std::size_t bytes) noexcept {
  if (block != nullptr && bytes >= 2 * large_page) ask_for_large_pages(block, bytes);
}

}  // namespace trawl::heap
