// A value that is given instead of computed: anybody may wait for it, on any PE.
#pragma once

#include "memory.hpp"
#include "node.hpp"
#include "thunk.hpp"

namespace trawl::heap {

/// A node that looks as if it were under evaluation here, until it is kept.
template <class R>
Node* make_promise() {
  auto* node = static_cast<Node*>(allocate(ResultOf<R>::bytes));
  node->init(value_code<R>, State::black_hole);
  return node;
}

/// Gives it its value, once, and tells who waits.
template <class R>
void keep_promise(Node* node, const R& value) {
  ResultOf<R>::put(node, value);
  finish(node, State::value);
}

}  // namespace trawl::heap
