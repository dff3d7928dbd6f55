// Blocks for operator new: each OS thread keeps some that were freed, so that neither new nor
// delete needs the collector's lock. For the files that call libgc (*_boehm.cpp).
#pragma once

#include <cstddef>

namespace trawl::heap {

/// The collector's own kinds: never scanned; scanned once something refers to it; a root.
enum class BlockKind : int { plain, normal, uncollectable };

BlockKind kind_of(const void* block) noexcept;

/// nullptr: there is no memory.
void* get_block(BlockKind kind, std::size_t size) noexcept;
/// By any thread.
void give_block(void* block) noexcept;

/// By how much what was allocated here exceeds what the collector was asked for: what is deleted is
/// given out again without it. Modulo 2^64: what is kept counts against it.
std::size_t reused_bytes() noexcept;

/// The calling thread ends: what it has kept is for others.
void keep_no_more_blocks() noexcept;

/// With the world stopped, before marking: what is kept is not taken for garbage.
void mark_kept_blocks() noexcept;

}  // namespace trawl::heap
