// Which nodes are in a packet, and in which order they are packed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include "rts/inline/bytes.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// An array that grows, of plain values, in memory that the collector need not see; the first few
/// lie in it. (A vector with an allocator of ours would move them one by one.)
template <class T>
class Grown {
 public:
  Grown() = default;
  ~Grown() {
    if (data_ != few_) std::free(data_);
  }
  Grown(const Grown&) = delete;
  Grown& operator=(const Grown&) = delete;

  void push(T value) {
    if (size_ == room_) [[unlikely]]
      grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop() noexcept { --size_; }
  /// What is new is not written.
  void resize(std::size_t size) {
    if (size > room_) grow(size);
    size_ = size;
  }
  T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T& back() const noexcept { return data_[size_ - 1]; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  [[gnu::noinline]] void grow(std::size_t size) {
    const auto room = std::max(2 * room_, size);
    void* larger = std::realloc(data_ == few_ ? nullptr : data_, room * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    if (data_ == few_) std::memcpy(larger, few_, size_ * sizeof(T));
    data_ = static_cast<T*>(larger);
    room_ = room;
  }

  T few_[8];
  T* data_ = few_;
  std::size_t size_ = 0;
  std::size_t room_ = std::size(few_);
};

/// A packet's nodes in the order in which they were come upon, each once. All can be reached from
/// the root.
class Places {
 public:
  std::uint32_t place_of(Node* node) {
    if (table_.empty()) {
      // Most packets are small: then looking through all nodes beats looking one up.
      for (std::uint32_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i] == node) return i;
    } else {
      auto& entry = table_[find(node)];
      if (entry != 0) return entry - 1;
      entry = static_cast<std::uint32_t>(nodes_.size() + 1);
    }
    nodes_.push(node);
    if (nodes_.size() > most_) [[unlikely]]
      make_table();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::size_t size() const noexcept { return nodes_.size(); }
  Node* operator[](std::size_t place) const { return nodes_[place]; }

  /// Takes the newest back. (What came before it has not been moved by it.)
  void pop() {
    if (!table_.empty()) table_[find(nodes_.back())] = 0;
    nodes_.pop();
  }

 private:
  static constexpr std::size_t few = 8;
  static constexpr std::size_t smallest_table = 64;

  std::size_t find(Node* node) const {
    const auto mask = table_.size() - 1;
    auto at = (reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15U >> 32U) & mask;
    while (table_[at] != 0 && nodes_[table_[at] - 1] != node) at = (at + 1) & mask;
    return at;
  }

  [[gnu::noinline]] void make_table() {
    table_.resize(std::max(smallest_table, 4 * table_.size()));
    std::memset(&table_[0], 0, table_.size() * sizeof table_[0]);
    most_ = table_.size() / 2;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) table_[find(nodes_[i])] = i + 1;
  }

  Grown<Node*> nodes_;
  Grown<std::uint32_t> table_;  // place + 1; 0: free
  std::size_t most_ = few;      // nodes, for this table
};

/// Depth first, a node's place is known only when its turn has come, and until then goes by the
/// number under which it was come upon.
class DepthFirst {
 public:
  /// The nodes from `begin` to `end` were come upon in the one just packed: the first of them comes
  /// next.
  void found(std::size_t begin, std::size_t end) {
    while (end != begin) waiting_.push(static_cast<std::uint32_t>(--end));
  }
  bool empty() const noexcept { return waiting_.empty(); }
  /// Takes the next one, and gives its number.
  std::uint32_t take(std::size_t place) {
    const auto number = waiting_.back();
    waiting_.pop();
    if (number >= places_.size()) places_.resize(2 * number + 1);
    places_[number] = static_cast<std::uint32_t>(place);
    return number;
  }

  /// The number of a node is about to be put there.
  void refers(std::size_t at) { references_.push(at); }
  /// What was put from there on is taken back.
  void shrink(std::size_t size) noexcept {
    while (!references_.empty() && references_.back() >= size) references_.pop();
  }

  /// All have been packed: numbers become places.
  void finish(Writer& out) const {
    for (std::size_t i = 0; i < references_.size(); ++i) {
      const auto at = references_[i];
      std::uint32_t number = 0;
      std::memcpy(&number, out.view().data() + at, sizeof number);
      out.patch(at, places_[number]);
    }
  }

 private:
  Grown<std::uint32_t> waiting_;   // numbers; the last one comes next
  Grown<std::uint32_t> places_;    // by number
  Grown<std::size_t> references_;  // where in the packet
};

}  // namespace trawl::heap
