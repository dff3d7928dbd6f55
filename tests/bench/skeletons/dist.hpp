// What the programs by skeletons share: what is timed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "tests/bench/skeletons/timed.hpp"

namespace bench {

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a + b;
}

/// So often: `make()` what the call `work(made)` is given, of which the time counts, until all of
/// its result is there. `answer(result)` is printed.
template <class Make, class Work, class Answer>
int measure(std::size_t rounds, Make make, Work work, Answer answer) {
  Timed timed;
  std::uint64_t sum = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto made = make();
    made.size();  // waits
    const auto result = timed.time([&] { return work(made); });
    made = {};
    sum = trawl::force(answer(result));
  }
  timed.print(sum);
  return 0;
}

}  // namespace bench
