// Memory of nodes, and of the values in them.
//
// The runtime replaces operator new: its memory is scanned like the stack, so that a Lazy may sit
// in any container. A value that is stored *in* a node is copied into memory that dies with the
// node, or moved there and destroyed when the node has died (Held, thunk.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trawl::heap {

/// Zeroed memory for a node, in the virtual heap: scanned, and collected when unreachable.
void* allocate(std::size_t bytes);

enum class Storage : std::uint8_t {
  scanned,      ///< lives until deleted, is scanned (what operator new does)
  owned,        ///< dies with the node that refers to it, is scanned
  owned_plain,  ///< as owned, holds numbers only: never scanned
};

/// While it lives, operator new on this thread gives storage of this kind.
class StorageScope {
 public:
  explicit StorageScope(Storage kind) noexcept;
  ~StorageScope();
  StorageScope(const StorageScope&) = delete;
  StorageScope& operator=(const StorageScope&) = delete;

 private:
  Storage before_;
};

/// What operator new gives on this thread.
Storage storage_now() noexcept;

/// Is this the beginning of a block of owned storage? It stays where it is as long as its node
/// lives.
bool is_owned(const void* block) noexcept;

/// Once `object` is unreachable, the next run_finalisers calls `gone(object, client)`; until then
/// its memory stays. Replaces an earlier registration; nullptr removes it.
void on_death(void* object, void (*gone)(void* object, void* client), void* client);

/// The same for what holds memory that the collector doesn't know of: when there is much more of
/// that than there was, it collects, and runs finalisers.
void on_death_of_owner(void* object, void (*gone)(void* object, void* client));

/// Overwrites what calls that have ended have left on the stack, so many bytes below the caller: in
/// a gap of a later call's frame it would look like references.
template <std::size_t bytes>
[[gnu::noinline]] void clear_finished_calls() noexcept {
  std::array<std::byte, bytes> finished;
  finished.fill({});
  asm volatile("" : : "r"(finished.data()) : "memory");
}

/// For debug builds, which refuse a Lazy that lies where the collector doesn't look: throws Error
/// if this place is none of operator new, of a value in a node, of a stack, nor static or
/// thread-local.
void refuse_unseen(const void* place);

}  // namespace trawl::heap
