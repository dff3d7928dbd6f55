// What goes along with a node that another PE has asked for, and where it is expected to go on.
#pragma once

#include <cstdint>
#include <optional>

#include "rts/heap/asked.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/heap/pack.hpp"
#include "rts/heap/walks.hpp"

namespace trawl::heap {

/// Who has asked for what of late.
struct Askers {
  Asked rows;
  Walks walks;
};

/// Of one packet.
class Along final : public Following {
 public:
  /// `pe` gets the node of this slot, as it has asked for it.
  Along(Askers& askers, GlobalAddressTable& addresses, std::uint32_t pe, std::uint64_t slot)
      : askers_(askers),
        addresses_(addresses),
        pe_(pe),
        walk_(askers.walks.find(pe, slot)),
        in_row_(askers.rows.again(pe, slot)),
        slot_(slot) {}
  /// The same for a thunk that moves there.
  struct Moving {
    Nanos now = 0;
    Nanos round_trip = 0;
  };
  Along(Askers& askers, GlobalAddressTable& addresses, std::uint32_t pe, std::uint64_t slot,
        const Moving& moving)
      : askers_(askers),
        addresses_(addresses),
        pe_(pe),
        walk_(askers.walks.find(pe, slot)),
        moving_(moving) {}
  /// It gets a spark.
  Along(Askers& askers, GlobalAddressTable& addresses, std::uint32_t pe, Nanos now)
      : askers_(askers), addresses_(addresses), pe_(pe), moving_(Moving{now, 0}) {}

  /// Is anything likely to go along with what refers to nothing?
  bool any() const noexcept { return in_row_ || walk_ != nullptr; }
  /// What may be in the packet.
  PackLimits limits(PackLimits usual) const noexcept;

  Node* next(std::size_t thunks, bool copied) override;
  void left(std::uint64_t slot) override { left_.push_back(slot); }
  bool depth_first() const override { return walk_ != nullptr && walk_->depth_first(); }
  /// It has been written, with so many thunks.
  void sent(std::size_t moved) noexcept;

 private:
  /// Where it goes on; 0: nobody knows.
  std::uint64_t next_slot(bool with_thunks);
  bool goes(Node* node) const;
  /// How many thunks may move.
  std::size_t most_thunks() const noexcept;

  Askers& askers_;
  GlobalAddressTable& addresses_;
  std::uint32_t pe_;
  Walk* walk_ = nullptr;
  std::optional<Moving> moving_;
  bool in_row_ = false;
  std::uint64_t slot_ = 0;  // in a row all up to it have been seen to
  std::uint64_t passed_ = 0;
  Node* last_given_ = nullptr;
  Walk::Slots left_;
};

}  // namespace trawl::heap
