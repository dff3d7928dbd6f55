#include "rts/inline/memory.hpp"

namespace trawl::heap {

bool is_owned(const void*) noexcept {
  return false;
}

StorageScope::StorageScope(Storage kind) noexcept : before_(kind) {}
StorageScope::~StorageScope() = default;

}  // namespace trawl::heap
