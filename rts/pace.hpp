// How fast a PE is at present, by what its workers get of the cores that they ask for.
#pragma once

#include <cstdint>

#include "rts/balance/tables.hpp"

namespace trawl {

/// Compares processor time with the time that workers had something to do.
class Pace {
 public:
  /// `share`: of a core, what each of so many workers is expected to get; in (0, 1].
  Pace(double share, int workers) noexcept : share_(share), workers_(workers) {}

  /// Both of all workers, spare ones too, since they began: what share of the expected they got,
  /// since the last look that told enough. What was seen is forgotten when nothing follows.
  std::uint16_t look(Nanos now, Nanos busy, Nanos processor) noexcept;

  /// As a load has it: of Load::full_pace, at most that and at least 1.
  static std::uint16_t of(double share) noexcept;

 private:
  double share_;
  int workers_;
  std::uint16_t pace_ = balance::Load::full_pace;
  Nanos looked_ = 0;
  Nanos busy_ = 0;
  Nanos processor_ = 0;
};

}  // namespace trawl
