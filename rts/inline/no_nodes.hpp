// The packet around what travels, or is kept, by itself: an exception, a call's arguments, a file.
#pragma once

#include "error.hpp"
#include "packer.hpp"

namespace trawl::heap {

/// Has no nodes: a value that refers to one is an Error, bytes that do are BadBytes. Long arrays
/// are copied.
class NoNodes final : public PacketOut, public PacketIn {
 public:
  /// What the Error says.
  explicit NoNodes(const char* why) : why_(why) {}

  std::uint32_t place_of(Node*, std::size_t) override { throw Error(why_); }
  Loan lend(std::span<const std::byte>) override { return {}; }
  void lay(std::span<const std::byte>) override {}
  Node* node_at(std::uint32_t, const void*) override { throw BadBytes("it refers to a node"); }
  void borrow(const Loan&, std::uint64_t) override { throw BadBytes("it lends an array"); }
  void read(const Loan&, std::uint64_t, std::span<std::byte>) override {}

 private:
  const char* why_;
};

}  // namespace trawl::heap
