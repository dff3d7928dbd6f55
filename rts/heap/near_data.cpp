// Where a shared heap knows large values, so that sparks can go there (README.md).
#include "rts/heap/baggage.hpp"
#include "rts/heap/claim.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

std::optional<std::uint32_t> SharedHeap::place_of_data(Node* thunk) {
  const Claim claim(thunk);
  if (!claim.got()) return std::nullopt;
  return heap::place_of_data(thunk, addresses_,
                             [this](Node* node) { return will_leave_data_at(node); });
}

// It was sent away, and others of its kind have left their data where they were made.
std::optional<std::uint32_t> SharedHeap::will_leave_data_at(Node* node) const {
  const auto code = node->code().id;
  const auto state = node->state();
  const bool was_sent = state == State::exported || state == State::fetching;
  if (!was_sent || code >= leaves_data_.size() || !leaves_data_[code]) return std::nullopt;
  const auto pe = addresses_.holder(node).pe;
  return pe == Witness::nobody ? std::nullopt : std::optional(pe);
}

void SharedHeap::note_result(const Node* spark, bool leaves_data) {
  const auto code = spark->code().id;
  if (!leaves_data && code >= leaves_data_.size()) return;
  if (code >= leaves_data_.size()) leaves_data_.resize(code + 1);
  leaves_data_[code] = leaves_data;
}

}  // namespace trawl::heap
