// Where C++ objects get their memory.
//
// The runtime replaces operator new: its memory is scanned like the stack, so that a Lazy may sit
// in any container. A value that is stored *in* a node is copied into memory that dies with the
// node.
#pragma once

#include <cstdint>

namespace trawl::heap {

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

/// Is this the beginning of a block of owned storage? It stays where it is as long as its node
/// lives.
bool is_owned(const void* block) noexcept;

}  // namespace trawl::heap
