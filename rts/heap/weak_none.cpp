#include "rts/heap/weak.hpp"

namespace trawl::heap {

bool collected_since(std::uint64_t&) noexcept {
  return false;
}

Weak::~Weak() = default;

void Weak::let_die() {
  static constinit Link alive = ~std::uintptr_t{0};
  link_ = &alive;
}

void* Weak::get() const noexcept {
  return object_.reveal();
}

void on_death(void*, void (*)(void*, void*), void*) {}
void on_death_of_owner(void*, void (*)(void*, void*)) {}

void run_finalisers() {}

}  // namespace trawl::heap
