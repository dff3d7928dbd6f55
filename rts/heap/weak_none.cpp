#include "rts/heap/weak.hpp"

namespace trawl::heap {

bool collected_since(std::uint64_t&) noexcept {
  return false;
}

Weak::~Weak() = default;

void Weak::let_die(const void*) {
  may_die_ = true;
}

void* Weak::get() const noexcept {
  return reinterpret_cast<void*>(~bits_.load(std::memory_order_relaxed));
}

void on_death(void*, void (*)(void*, void*), void*) {}
void run_finalisers() {}

}  // namespace trawl::heap
