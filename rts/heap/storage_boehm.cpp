#define GC_THREADS
#include <cstddef>
#include <new>

#include <gc/gc.h>

#include "rts/heap/blocks.hpp"
#include "rts/heap/known_threads.hpp"
#include "rts/inline/memory.hpp"

namespace trawl::heap {
namespace {

constinit thread_local Storage storage_here = Storage::scanned;

void* get_storage(std::size_t size) {
  torture();
  switch (storage_here) {
    case Storage::owned:
      return get_block(BlockKind::normal, size);
    case Storage::owned_plain:
      return get_block(BlockKind::plain, size);
    case Storage::scanned:
      break;
  }
  return get_block(BlockKind::uncollectable, size);
}

void* get_aligned_storage(std::size_t size, std::size_t alignment) {
  auto* block = static_cast<std::byte*>(get_storage(size + alignment));
  if (block == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return block + (((address + alignment - 1) & ~(alignment - 1)) - address);
}

void give_aligned_storage(void* memory) {
  if (memory != nullptr) give_block(GC_base(memory));
}

}  // namespace

StorageScope::StorageScope(Storage kind) noexcept : before_(storage_here) {
  storage_here = kind;
}
StorageScope::~StorageScope() {
  storage_here = before_;
}

Storage storage_now() noexcept {
  return storage_here;
}

bool is_owned(const void* block) noexcept {
  if (GC_base(const_cast<void*>(block)) != block) return false;
  const auto kind = kind_of(block);
  return kind == BlockKind::plain || kind == BlockKind::normal;
}

}  // namespace trawl::heap

// ---- operator new: see "Where a Lazy may sit" in README.md -------------------------------------

namespace {

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

using trawl::heap::get_aligned_storage;
using trawl::heap::get_storage;
using trawl::heap::give_aligned_storage;
using trawl::heap::give_block;

void* operator new(std::size_t size) {
  return checked(get_storage(size));
}
void* operator new[](std::size_t size) {
  return checked(get_storage(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return get_storage(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return get_storage(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return checked(get_aligned_storage(size, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return checked(get_aligned_storage(size, static_cast<std::size_t>(alignment)));
}
void operator delete(void* memory) noexcept {
  give_block(memory);
}
void operator delete[](void* memory) noexcept {
  give_block(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_block(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  give_block(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give_aligned_storage(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  give_aligned_storage(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_aligned_storage(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  give_aligned_storage(memory);
}
