#include "rts/heap/along.hpp"

#include "rts/inline/code.hpp"

namespace trawl::heap {

std::uint64_t Along::next_slot() {
  if (walk_ != nullptr && walk_->in_order != 0 && !walk_->rest.empty()) {
    const auto slot = walk_->rest.back();
    walk_->rest.pop_back();
    return slot;
  }
  return in_row_ && passed_++ < Asked::block ? ++slot_ : 0;
}

// There was room for the one before.
Node* Along::next() {
  if (last_given_ != nullptr) addresses_.note_copy(last_given_, pe_);
  while (const auto slot = next_slot()) {
    Node* node = addresses_.own(slot);
    if (node == nullptr || node->state() != State::value || node->code().kept) continue;
    if (addresses_.has_copy(node, pe_)) continue;
    return last_given_ = node;
  }
  return last_given_ = nullptr;
}

void Along::sent() {
  if (in_row_) askers_.rows.followed(pe_, slot_);
  askers_.walks.left(walk_, pe_, left_);
}

}  // namespace trawl::heap
