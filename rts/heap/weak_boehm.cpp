#include <new>

#include <gc/gc.h>

#include "rts/heap/weak.hpp"

namespace trawl::heap {

// The collector's lock is held until a collection that has been counted has also ended, and the
// links of what it has found dead are cut.

bool collected_since(std::uint64_t& count) noexcept {
  if (GC_get_gc_no() == count) return false;
  GC_call_with_alloc_lock(
      [](void* counter) -> void* {
        *static_cast<std::uint64_t*>(counter) = GC_get_gc_no();
        return nullptr;
      },
      &count);
  return true;
}

Weak::~Weak() {
  if (may_die_ && !dead()) GC_unregister_disappearing_link(reinterpret_cast<void**>(&bits_));
}

void Weak::let_die(const void* object) {
  static_assert(sizeof bits_ == sizeof(void*) && decltype(bits_)::is_always_lock_free);
  if (GC_general_register_disappearing_link(reinterpret_cast<void**>(&bits_), object) ==
      GC_NO_MEMORY)
    throw std::bad_alloc();
  may_die_ = true;
}

void* Weak::get() const noexcept {
  return GC_call_with_alloc_lock(
      [](void* self) -> void* {
        const auto bits = static_cast<const Weak*>(self)->bits_.load(std::memory_order_relaxed);
        return bits == 0 ? nullptr : reinterpret_cast<void*>(~bits);
      },
      const_cast<Weak*>(this));
}

void on_death(void* object, void (*gone)(void*, void*), void* client) {
  GC_register_finalizer_no_order(object, gone, client, nullptr, nullptr);
}

void run_finalisers() {
  if (GC_should_invoke_finalizers()) GC_invoke_finalizers();
}

}  // namespace trawl::heap
