// own_policy N: the longest Collatz sequence that begins below N; and a load management of its own.
#include <algorithm>
#include <memory>
#include <utility>

#include <trawl/policy.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"

namespace {

// ---- the policy --------------------------------------------------------------------------------

/// PEs stand in a ring. Who has no work asks the next, who asks the next but one, and so on.
class Ring final : public trawl::Policy {
 public:
  int victim(const trawl::PolicyView& view, std::uint64_t) override { return after(view, -1); }

  int forward(const trawl::PolicyView& view, int thief, std::uint64_t) override {
    return after(view, thief);
  }

  /// Half of what is there: it may have to do for those behind, too.
  unsigned sparks(const trawl::PolicyView&, int, unsigned spare) override {
    return (spare + 1) / 2;
  }

 private:
  static int after(const trawl::PolicyView& view, int thief) {
    int pe = view.self();
    do {
      pe = (pe + 1) % view.size();
      if (pe == thief) return thief;  // once round: home
    } while (!view.alive(pe));
    return pe == view.self() ? -1 : pe;
  }
};

const trawl::PolicyRegistration ring("ring", [] { return std::make_unique<Ring>(); });

// ---- what there is to do -----------------------------------------------------------------------

/// How many steps it takes from n to 1, and n.
using Sequence = std::pair<long, long>;

Sequence collatz(long n) {
  long steps = 0;
  for (long at = n; at != 1; ++steps) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
  return {steps, n};
}

/// Of two as long, the later.
Sequence longer(const Sequence& one, const Sequence& other) {
  return std::max(one, other);
}

Sequence sequentially(long end) {
  Sequence longest{0, 1};
  for (long n = 1; n < end; ++n) longest = longer(longest, collatz(n));
  return longest;
}

// ---- in parallel -------------------------------------------------------------------------------

Sequence in_parallel(long end) {
  constexpr long chunk = 1000;
  return trawl::par_map_reduce<collatz, longer>(1L, end, chunk, Sequence{0, 1});
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  constexpr long most = 1'000'000'000;
  long end = 0;
  programs::Command command("own_policy", "The longest Collatz sequence that begins below N.");
  command.add("N", end, "where to end", 2L, most);
  return command.run(
      argc, argv, [&] { return in_parallel(end); }, [&] { return sequentially(end); },
      [&](const Sequence& result) {
        return result == sequentially(end) ? std::string() : std::string("it is another sequence");
      },
      [](const Sequence& result) {
        std::cout << fmt::format("{} steps from {}\n", result.first, result.second);
      });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
