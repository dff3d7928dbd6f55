// For tests of spark pools: sparks and calls that can be told apart.
#pragma once

#include <trawl/lazy.hpp>

#include "rts/sched/spark_pool.hpp"

namespace trawl::test {

inline long number(long n) {
  return n;
}

/// A thunk's argument tells which one it is; nobody evaluates it here.
inline heap::Node* numbered(long n) {
  return lazy<number>(n).node();
}
inline long number_of(heap::Node* node) {
  using T = heap::Thunk<Function<number>, long, long>;
  return T::argument<0>(node);
}

inline sched::Slot* push_call(sched::SparkPool& pool, long n) {
  return pool.push(heap::thunk_code<Function<number>, long, long>, n);
}

}  // namespace trawl::test
