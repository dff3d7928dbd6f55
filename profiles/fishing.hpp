// How PEs asked each other for work, and whether they asked the right ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::profile {

/// The FISH of one thief, or of several, as far as they have to do with one victim, or several.
struct Fishes {
  std::uint64_t asked = 0;      ///< were sent to the victim first
  std::uint64_t found = 0;      ///< got work from the victim, wherever they were sent first
  std::uint64_t forwarded = 0;  ///< were passed on by the victim
  std::uint64_t in_vain = 0;    ///< of `asked`, came home without work
  std::uint64_t back = 0;       ///< of `asked`, were answered or came home
  double waited = 0;            ///< ns, from `asked` to `back`

  Fishes& operator+=(const Fishes& other);
  double mean_time() const { return back == 0 ? 0 : waited / static_cast<double>(back); }
};

/// What thieves believed of their victims when they sent a FISH, and how it was: sparks there, as
/// its last event of kind `load` said.
struct Beliefs {
  std::array<std::array<std::uint64_t, 2>, 2> some{};  ///< [believed to have some][had some]
  double believed = 0;                                 ///< sparks, summed
  double had = 0;
  double error = 0;  ///< of their number, absolute

  std::uint64_t number() const { return some[0][0] + some[0][1] + some[1][0] + some[1][1]; }
  std::uint64_t right() const { return some[0][0] + some[1][1]; }
  void add(std::uint32_t thought, std::uint32_t there);
};

struct Fishing {
  static constexpr std::size_t parts = 100;  ///< of the time

  int pes = 1;
  std::map<std::pair<int, int>, Fishes> by_pe;  ///< by thief and victim; those with any
  Beliefs beliefs;
  std::vector<Beliefs> over_time;  ///< `parts`, all equally long
};

/// The FISH that were sent, and passed on, between two of the run's times.
Fishing measure_fishing(const Run& run, Nanos from, Nanos to);

/// The same, of groups of PEs: thieves are lines, victims columns.
struct FishMatrix {
  std::vector<std::string> names;
  std::vector<Fishes> cells;

  const Fishes& at(std::size_t thief, std::size_t victim) const {
    return cells[thief * names.size() + victim];
  }
};

/// A group a PE if these are at most `most`, else a group a cluster if those are, else as many
/// groups of neighbouring PEs.
FishMatrix matrix(const Fishing& fishing, const Run& run, int most);

}  // namespace trawl::profile
