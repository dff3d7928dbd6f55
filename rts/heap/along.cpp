#include "rts/heap/along.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "rts/inline/code.hpp"

namespace trawl::heap {
namespace {

/// Thunks of so much time move at once to who evaluates them in order: a FETCH for each as much
/// costs a twentieth of that. What takes longer is better left to whoever fishes.
constexpr Nanos most_moved = 1'000'000;

std::size_t times(std::size_t size, std::size_t factor) {
  return size > std::numeric_limits<std::size_t>::max() / factor ? size : size * factor;
}

}  // namespace

std::size_t Along::most_thunks() const noexcept {
  if (!moving_ || !depth_first()) return 0;
  const auto& [now, round_trip] = *moving_;
  return walk_->thunks_in(most_moved + round_trip, now, round_trip);
}

PackLimits Along::limits(PackLimits usual) const noexcept {
  const auto factor = walk_ == nullptr ? 1 : walk_->packets();
  usual.bytes = times(usual.bytes, factor);
  usual.thunks = std::clamp(most_thunks(), usual.thunks, times(usual.thunks, factor));
  return usual;
}

std::uint64_t Along::next_slot(bool with_thunks) {
  if (walk_ != nullptr && walk_->in_order != 0 && !walk_->rest.empty()) {
    const auto slot = walk_->next();
    const Node* node = addresses_.own(slot);
    const bool moves = node != nullptr && node->state() == State::unevaluated;
    if (moves && !with_thunks) return 0;  // it is still what comes next
    walk_->pass_next();
    return slot;
  }
  return in_row_ && passed_++ < Asked::block ? ++slot_ : 0;
}

bool Along::goes(Node* node) const {
  if (node == nullptr || node->code().kept) return false;
  const auto state = node->state();
  if (state == State::unevaluated) return moving_ && !node->code().placed;
  return state == State::value && !addresses_.has_copy(node, pe_);
}

Node* Along::next(std::size_t thunks, bool copied) {
  if (last_given_ != nullptr && copied) addresses_.note_copy(last_given_, pe_);
  const bool with_thunks = thunks < most_thunks();
  while (const auto slot = next_slot(with_thunks))
    if (Node* node = addresses_.own(slot); goes(node)) return last_given_ = node;
  return last_given_ = nullptr;
}

// The packet is on its way: a walk that there is no memory for is none.
void Along::sent(std::size_t moved) noexcept try {
  if (in_row_) askers_.rows.followed(pe_, slot_);
  const bool in_order = depth_first();
  Walk* walk = askers_.walks.left(walk_, pe_, left_);
  if (walk == nullptr || !moving_) return;
  walk->answered = moving_->now;
  walk->moved = in_order ? moved : 1;
} catch (const std::bad_alloc&) {
}

}  // namespace trawl::heap
