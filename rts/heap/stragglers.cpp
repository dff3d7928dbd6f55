// What a shared heap does for sparks that others have had for long (rts/sched/README.md,
// Stragglers).
#include <new>

#include "rts/heap/baggage.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::heap {

// If there is no memory for it, it is where it was.
bool SharedHeap::export_again(Node* thunk, int to, std::uint16_t fish) {
  if (!may_be_done_again(thunk, static_cast<std::uint32_t>(to))) return false;
  const auto holder = addresses_.holder(thunk);
  try {
    send_spark(thunk, to, {.fish = fish, .again = true});
  } catch (const std::bad_alloc&) {
    addresses_.set_holder(thunk, holder);
    throw;
  }
  return true;
}

bool SharedHeap::may_be_done_again(Node* thunk, std::uint32_t by) const {
  return is_still_away(thunk) && !has_baggage(thunk, addresses_, by);
}

bool SharedHeap::evaluate_again(Node* thunk) {
  if (!may_be_done_again(thunk, addresses_.self())) return false;
  recovery_.evaluate_twin(thunk, twin_of(thunk));
  return true;
}

// An exception may be this PE's: it had no memory. The other one will say what it is.
void SharedHeap::evaluated_again(Node* thunk, Node* twin) {
  if (is_still_away(thunk) && twin->state() == State::value) copy_into(thunk, twin);
}

}  // namespace trawl::heap
