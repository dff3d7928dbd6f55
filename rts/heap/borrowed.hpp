// Arrays that a packet has not brought, as they can be read where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <boost/container/small_vector.hpp>

#include "rts/fabric/memory.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/inline/packer.hpp"

namespace trawl::heap {

/// Those of one packet of the PE `from`.
class Borrowed {
 public:
  Borrowed(const fabric::Memory& memory, GlobalAddressTable& addresses, std::uint32_t from)
      : memory_(memory), addresses_(addresses), from_(from) {}

  /// If it is long, its ends are looked at before memory is taken: they tell whether it is as long
  /// as it says. Throws BadBytes if it is not the sender's.
  void check(const Loan& loan, std::uint64_t size) {
    const bool first = keep_.empty() || keep_.back().at != loan.keeps.at;
    const bool weighs = loan.keeps.weight != 0;
    const bool senders = loan.keeps.at.pe == from_ && from_ != addresses_.self();
    if (!senders || first != weighs || size == 0)
      throw BadBytes("it lends what is not the sender's");
    if (size > long_piece) {
      std::byte end{};
      read(loan, 0, {&end, 1});
      read(loan, size - 1, {&end, 1});
    }
    if (first) keep_.push_back(loan.keeps);
  }

  /// Has a long piece been read since that was last said? Throws as Memory::read does.
  bool read(const Loan& loan, std::uint64_t offset, std::span<std::byte> into) {
    memory_.read(static_cast<int>(loan.keeps.at.pe), loan.at + offset, into);
    bytes_ += into.size();
    if (bytes_ < long_piece) return false;
    bytes_ = 0;
    return true;
  }

  /// All have been read.
  void send_home() {
    for (const Reference& reference : keep_) {
      addresses_.note_arrival(reference);
      addresses_.send_home(reference);
    }
  }

 private:
  const fabric::Memory& memory_;
  GlobalAddressTable& addresses_;
  std::uint32_t from_;
  // What keeps them there: one for all arrays of a node.
  boost::container::small_vector<Reference, 1, PlainAllocator<Reference>> keep_;
  std::size_t bytes_ = 0;
};

}  // namespace trawl::heap
