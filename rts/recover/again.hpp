// Making again what was lost with a PE, by evaluating once more what it came from.
#pragma once

#include "rts/heap/shared_heap.hpp"

namespace trawl::recover {

/// Makes a node again, on the running thread: evaluates the thunk from which it came, goes from
/// there to what the node stands for, evaluates that, and gives the node its value. Without the
/// PE's lock.
void make_again(heap::Node* node);

/// A thunk, to be evaluated here, that does so.
heap::Node* again(heap::Node* node);
/// One that evaluates `twin`, for a spark that was sent away and whose value has not come.
heap::Node* again(heap::Node* spark, heap::Node* twin);

}  // namespace trawl::recover
