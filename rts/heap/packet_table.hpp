// The table of a packet that has come: which nodes are in it, and how long they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <boost/container/small_vector.hpp>

#include "rts/heap/packet.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/inline/serial.hpp"

namespace trawl::heap {

/// Its runs are as long, together, as the packet says. Else the constructor throws BadBytes, before
/// any memory but the table's own was taken.
class PacketTable {
 public:
  explicit PacketTable(std::span<const std::byte> packet) {
    if (packet.size() < sizeof(std::uint32_t)) throw BadBytes("it has no table");
    const auto body = packet.size() - sizeof(std::uint32_t);
    const auto count = Reader(packet.subspan(body)).get<std::uint32_t>();
    if (count == 0 || count > body / sizeof(Run)) throw BadBytes("its table is too long");
    runs_.resize(count);
    const auto table_size = count * sizeof(Run);
    payload_size_ = body - table_size;
    Reader(packet.subspan(payload_size_, table_size)).raw(runs_.data(), table_size);
    check();
  }

  std::size_t size() const noexcept { return runs_.size(); }
  const Run& operator[](std::size_t run) const noexcept { return runs_[run]; }
  const Run& root() const noexcept { return runs_.front(); }
  auto begin() const noexcept { return runs_.begin(); }
  auto end() const noexcept { return runs_.end(); }

  /// The packet begins with so many bytes of nodes.
  std::size_t payload_size() const noexcept { return payload_size_; }
  std::size_t nodes() const noexcept { return nodes_; }
  /// Those that are not `plain`.
  std::size_t items() const noexcept { return items_; }

  /// Are its nodes new ones that nobody knows yet?
  bool plain(std::size_t run) const noexcept {
    const auto part = runs_[run].part;
    return run != 0 && (part == Part::value || part == Part::failure);
  }

 private:
  void check() {
    auto left = payload_size_;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Run& run = runs_[r];
      if (run.count == 0 || (run.count != 1 && (r == 0 || run.size == 0)))
        throw BadBytes("its table makes no sense");
      if (run.size != 0 && run.count > left / run.size)
        throw BadBytes("its nodes are longer than itself");
      left -= run.size * run.count;
      nodes_ += run.count;
      if (!plain(r)) items_ += run.count;
    }
    if (left != 0) throw BadBytes("it is longer than its nodes");
  }

  boost::container::small_vector<Run, 4, PlainAllocator<Run>> runs_;
  std::size_t payload_size_ = 0;
  std::size_t nodes_ = 0, items_ = 0;
};

}  // namespace trawl::heap
