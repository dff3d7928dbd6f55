// References that keep nothing alive, and what is done when an object has died.
//
// weak_boehm.cpp asks the collector; in weak_none.cpp nothing ever dies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rts/inline/memory.hpp"

namespace trawl::heap {

/// An address that does not keep its object alive.
class Hidden {
 public:
  Hidden() = default;
  explicit Hidden(const void* object) noexcept : bits_(~reinterpret_cast<std::uintptr_t>(object)) {}
  void* reveal() const noexcept { return reinterpret_cast<void*>(~bits_); }
  friend bool operator==(Hidden, Hidden) = default;
  friend std::size_t hash_value(Hidden h) noexcept { return h.bits_ >> 4; }

 private:
  std::uintptr_t bits_ = ~std::uintptr_t{0};
};

/// Has a collection ended since the last call with this count, at first 0?
bool collected_since(std::uint64_t& count) noexcept;

/// Refers to an object that may die: to the beginning of what `allocate` has given. Until `let_die`
/// somebody else has to keep it alive; afterwards the collector takes it when nothing refers to it
/// any more, and what only it refers to as well. (A finaliser would keep all that for one more
/// collection.)
class Weak {
 public:
  /// Hidden as in Hidden, or not an object: then the highest bit is clear.
  using Link = std::atomic<std::uintptr_t>;

  explicit Weak(const void* object) noexcept : object_(object) {}
  ~Weak();
  Weak(const Weak&) = delete;
  Weak& operator=(const Weak&) = delete;

  /// Whoever calls it still refers to the object.
  void let_die();
  bool may_die() const noexcept { return link_ != nullptr; }
  bool dead() const noexcept { return may_die() && link_->load(std::memory_order_relaxed) == 0; }
  /// nullptr: it is dead.
  void* get() const noexcept;

 private:
  Hidden object_;
  Link* link_ = nullptr;  // of the object as well; the collector puts a 0 there
};

/// For collect_boehm.cpp: what is dead has been found, and the world still stands; then the zeros
/// are put, with the collector's lock held.
void begin_to_cut_links() noexcept;
void cut_links_to_the_dead() noexcept;

/// Runs what on_death registered, on this thread; cheap when nothing has died.
void run_finalisers();
/// There is no memory left: collects, and does so. The collector by itself does not even collect.
void destroy_the_dead();

}  // namespace trawl::heap
