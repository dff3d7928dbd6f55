// How many messages the PEs together have sent to each: the main PE's part in a census.
#pragma once

#include <cstdint>
#include <vector>

#include "rts/recover/messages.hpp"

namespace trawl::recover {

/// Pure bookkeeping, of one census and both its rounds.
class Tallies {
 public:
  explicit Tallies(int pes) : pes_(static_cast<std::size_t>(pes)) {}

  /// A census begins, of these PEs; one that is under way ends.
  void begin(std::uint32_t view, const std::vector<int>& members);
  /// What one of them says. True: that was the last of its round.
  bool add(int from, const Sent& sent);
  bool is_member(int pe) const noexcept { return members_[index(pe)]; }
  /// So many messages of a round go to a PE.
  std::uint64_t due(Round round, int pe) const { return of(round).due[index(pe)]; }

 private:
  struct Sums {
    std::vector<std::uint64_t> due;  // by PE
    std::vector<bool> waits_for;
    std::size_t missing = 0;
  };

  static std::size_t index(int pe) noexcept { return static_cast<std::size_t>(pe); }
  const Sums& of(Round round) const { return rounds_[static_cast<std::size_t>(round)]; }

  std::size_t pes_;
  std::uint32_t view_ = 0;
  std::vector<bool> members_;  // by PE
  Sums rounds_[2];
};

}  // namespace trawl::recover
