// Sparks that nobody refers to but the pool, whose references are weak: kept while they are of use.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rts/heap/collect.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/inline/node.hpp"

namespace trawl::sched {

/// Trees of long lists, and calls that apply a strategy: their authors have Lazys of the elements
/// alone. Once somebody has evaluated those without them, they would only keep alive what nothing
/// else refers to. One for each worker, who alone keeps; the collector asks what still counts.
class KeptSparks final : private heap::RootSource {
 public:
  KeptSparks() = default;
  ~KeptSparks();
  KeptSparks(const KeptSparks&) = delete;
  KeptSparks& operator=(const KeptSparks&) = delete;

  /// Until somebody has begun with it, or with `purpose`, which it refers to (or is), or thousands
  /// have come after it.
  void keep(heap::Node* spark, const heap::Node* purpose);

 private:
  struct Kept {
    heap::Node* spark = nullptr;
    const heap::Node* purpose = nullptr;

    bool counts() const noexcept;
  };

  void roots(void (*scan)(std::span<const std::byte>)) const noexcept override;
  void forget_the_dead(bool (*lives)(const void*)) noexcept override;

  std::vector<Kept, PlainAllocator<Kept>> kept_;  // a ring, once there is one
  std::size_t next_ = 0;
};

}  // namespace trawl::sched
