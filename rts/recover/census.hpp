// Who still refers to what, when a PE has died: its share of all weights is found, and written off.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/recover/messages.hpp"
#include "rts/recover/tallies.hpp"

namespace trawl::recover {

/// One PE's part. Guarded by its PE's lock. README.md, Weights, says why it finds them all.
///
/// Getting a view is a cut through the run: what is sent after it is not read before it. So what
/// PEs hold at that moment, and what was sent before and is read after it, is all that there is.
class Census {
 public:
  Census(int self, int pes, heap::SharedHeap& shared_heap, fabric::Outbox& outbox)
      : self_(self), pes_(pes), shared_heap_(shared_heap), outbox_(outbox), tallies_(pes) {}

  // ---- every message that carries weights is counted, and looked at if it comes late

  void sent(int to) { ++with_[to].sent; }
  /// To and from PEs that `counts`: those sent, less those received.
  std::int64_t balance(const std::function<bool(int)>& counts) const;

  /// While one is read; `done` when it has been.
  class Reading {
   public:
    Reading(Census& census, int from, std::uint32_t view);
    ~Reading() { addresses_.note_arrivals(outer_); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    void done() { census_.read(from_, late_ ? &arrivals_ : nullptr); }

   private:
    Census& census_;
    heap::GlobalAddressTable& addresses_;
    int from_;
    bool late_;
    std::vector<heap::Reference> arrivals_;
    std::vector<heap::Reference>* outer_;
  };

  // ---- a census

  /// This PE has got a view in which one is gone; nothing has been done about that yet.
  void begin(std::uint32_t view, const std::function<bool(int)>& is_gone);
  bool under_way() const noexcept { return stage_ != Stage::none; }

  void on_sent(const Sent& message, int from);
  void on_due(const Due& message);
  void on_held(const Held& message, int from);

 private:
  struct Messages {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  /// Of a round: how many have come, and how many are to.
  struct Arrived {
    std::uint64_t messages = 0;
    std::optional<std::uint64_t> due{};
    bool all() const noexcept { return due == messages; }
  };

  void read(int from, const std::vector<heap::Reference>* late);
  void hold(const heap::Reference& reference);
  void found(std::uint64_t slot, heap::Weight weight);
  void look();
  void tell_holdings();
  void tell_home(std::span<const heap::Reference> holdings);
  void write_off();

  int self_;
  int pes_;
  heap::SharedHeap& shared_heap_;
  fabric::Outbox& outbox_;
  boost::unordered_flat_map<int, Messages> with_;  // since this PE began

  // Of the census that is under way.
  enum class Stage : std::uint8_t { none, before, held };
  Stage stage_ = Stage::none;
  std::uint32_t view_ = 0;
  Arrived before_;
  Arrived held_;
  // Long ones, of nothing that the collector need see.
  template <class T>
  using Plain = std::vector<T, PlainAllocator<T>>;
  struct Missing {
    std::uint64_t slot;
    heap::Weight weight;
  };
  Plain<Missing> missing_;  // of our slots, in their order: what was not found yet
  Plain<heap::Reference> holdings_;
  boost::unordered_flat_set<int> have_told_;  // what they held

  Tallies tallies_;  // the main PE's
};

}  // namespace trawl::recover
