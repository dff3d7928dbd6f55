// What ran in the course of a run, by function, and how many sparks found work for whom.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "profiles/report/slices.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// Sums up a window of time in equal parts.
class OverTime {
 public:
  static constexpr std::size_t parts = 100;
  using Sums = std::array<double, parts>;

  OverTime(Nanos from, Nanos to) : from_(from), to_(to) {}

  void see(const trace::Event& event);
  void see(const Slice& slice);

  /// Of one part, in ns.
  double length() const { return static_cast<double>(to_ - from_) / parts; }
  /// ns that threads of each code ran, all workers together.
  const std::map<std::uint32_t, Sums>& ran() const { return ran_; }
  /// Sparks that became threads where they were made, and where they came from another PE; sparks
  /// that left a PE.
  const Sums& converted() const { return converted_; }
  const Sums& imported() const { return imported_; }
  const Sums& exported() const { return exported_; }
  /// Sparks that threads made, those that they made a call of themselves included; each thread's
  /// are taken to be made evenly while it ran.
  const Sums& made() const { return made_; }

 private:
  std::size_t part_of(Nanos time) const;

  Nanos from_, to_;
  std::map<std::uint32_t, Sums> ran_;
  Sums converted_{}, imported_{}, exported_{}, made_{};
};

}  // namespace trawl::profile
