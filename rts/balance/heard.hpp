// What was heard of others: of few all, of very many the newest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// The key of two clusters.
constexpr std::uint64_t key_of(std::uint32_t one, std::uint32_t other) noexcept {
  return std::uint64_t{one} << 32U | other;
}

/// Rows by key, at most `most` of them, a power of two: a table on a grid of any size takes a few
/// KB. A Row says `when()` it was measured. All costs O(1).
template <class Row, std::size_t most>
class Heard {
 public:
  struct Entry {
    std::uint64_t key;
    Row row;
  };
  using Entries = std::vector<Entry, PlainAllocator<Entry>>;

  Row* find(std::uint64_t key) noexcept {
    const auto at = slots_[slot_of(key)];
    return at == 0 ? nullptr : &entries_[at - 1].row;
  }
  const Row* find(std::uint64_t key) const noexcept { return const_cast<Heard*>(this)->find(key); }

  /// To be called in this order, some time before `find`: of many PEs in a process, none of whose
  /// tables is in the cache, rows are waited for together.
  void fetch_slot(std::uint64_t key) const noexcept { __builtin_prefetch(&slots_[home(key)]); }
  void fetch_row(std::uint64_t key) const noexcept {
    if (const auto at = slots_[home(key)]; at != 0) __builtin_prefetch(&entries_[at - 1]);
  }

  /// For a key that has none. Where all places are taken, the oldest of a few rows goes; null: it
  /// is newer than this one.
  Row* add(std::uint64_t key, const Row& row) {
    if (entries_.size() < most) {
      entries_.push_back({key, row});
      slots_[slot_of(key)] = static_cast<std::uint16_t>(entries_.size());
      return &entries_.back().row;
    }
    auto oldest = hand_++ % most;
    for (int i = 1; i < looks; ++i)
      if (const auto other = hand_++ % most;
          entries_[other].row.when() < entries_[oldest].row.when())
        oldest = other;
    auto& entry = entries_[oldest];
    if (row.when() < entry.row.when()) return nullptr;
    clear(slot_of(entry.key));
    entry = {key, row};
    slots_[slot_of(key)] = static_cast<std::uint16_t>(oldest + 1);
    return &entry.row;
  }

  void remove(std::uint64_t key) noexcept {
    const auto slot = slot_of(key);
    const auto at = slots_[slot];
    if (at == 0) return;
    clear(slot);
    if (at != entries_.size()) {
      entries_[at - 1U] = entries_.back();
      slots_[slot_of(entries_.back().key)] = at;
    }
    entries_.pop_back();
  }

  const Entries& entries() const noexcept { return entries_; }

 private:
  static constexpr std::size_t mask = 2 * most - 1;
  static constexpr int looks = 4;
  static_assert((most & (most - 1)) == 0 && 2 * most <= 1U << 16U);

  // Few PEs have each a slot of their own.
  static std::size_t home(std::uint64_t key) noexcept { return (key ^ (key >> 32U) * 37) & mask; }

  /// Where the key's entry is noted, or would be.
  std::size_t slot_of(std::uint64_t key) const noexcept {
    auto slot = home(key);
    while (slots_[slot] != 0 && entries_[slots_[slot] - 1U].key != key) slot = (slot + 1) & mask;
    return slot;
  }

  // Whoever was pushed on by this one moves up.
  void clear(std::size_t hole) noexcept {
    for (auto next = (hole + 1) & mask; slots_[next] != 0; next = (next + 1) & mask) {
      const auto from = home(entries_[slots_[next] - 1U].key);
      if (((next - from) & mask) < ((next - hole) & mask)) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole] = 0;
  }

  Entries entries_;
  std::array<std::uint16_t, 2 * most> slots_{};  // the place in entries_, and one; 0: free
  std::size_t hand_ = 0;
};

}  // namespace trawl::balance
