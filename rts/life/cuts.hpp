// Pairs of PEs that don't reach each other, though the main PE hears both: which of them is given
// up.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::life {

/// Pure bookkeeping of the main PE's, guarded by its lock. A connection also ends because one of
/// the two is dying, which the main PE mostly sees itself, a little later: it waits for that, and
/// for what others have to say. Then who has most such connections goes, and those with the fewest
/// stay.
class Cuts {
 public:
  /// `from` says so at this time, and why.
  void add(int from, int pe, const std::string& why, Nanos now);
  /// It is dead, or has left.
  void gone(int pe);

  struct Cut {
    int pe;
    std::string why;
  };

  /// One that is to be given up now; it is to be `gone` before the next is asked for.
  std::optional<Cut> next(Nanos now) const;

 private:
  struct Pair {
    int from;
    int pe;
    std::string why;
    Nanos since;
  };

  void count(const Pair& pair, int times);

  std::vector<Pair> pairs_;
  std::vector<int> counts_;  // of pairs, by PE
};

}  // namespace trawl::life
