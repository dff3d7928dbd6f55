#include "rts/inline/memory.hpp"

namespace trawl::heap {

Storage storage_now() noexcept {
  return Storage::scanned;
}

bool is_owned(const void*) noexcept {
  return false;
}

StorageScope::StorageScope(Storage kind) noexcept : before_(kind) {}
StorageScope::~StorageScope() = default;

}  // namespace trawl::heap
