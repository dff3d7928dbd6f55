// Who is alive: a PE that has been silent for too long is lost.
#pragma once

#include <optional>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::recover {

/// Pure bookkeeping. The main PE watches all others, they watch the main PE: everybody else's loss
/// reaches them through it.
class Alive {
 public:
  Alive(int self, int pes, Nanos silence);

  /// All know each other: only from now on is silence counted. Here and in the next two, waking
  /// time (waking_time.hpp).
  void begin(Nanos now) {
    for (Nanos& heard : heard_)
      if (heard != never) heard = now;
  }

  /// Something has arrived from a PE, be it a part of a message.
  void heard(int pe, Nanos now) {
    if (watches(pe) && heard_[static_cast<std::size_t>(pe)] != never)
      heard_[static_cast<std::size_t>(pe)] = now;
  }

  /// It has come: from now on its silence is counted.
  void expect(int pe, Nanos now) {
    if (watches(pe)) heard_[static_cast<std::size_t>(pe)] = now;
  }

  /// It is known to be dead: nobody waits for a sign of it.
  void forget(int pe) {
    if (watches(pe)) heard_[static_cast<std::size_t>(pe)] = never;
  }

  /// The PEs that should be shown at this time of the clock that we are alive; may be empty. O(1)
  /// between beats.
  std::vector<int> to_ping(Nanos now);

  /// A PE that has been silent for too long at this time.
  std::optional<int> lost(Nanos now) const;

 private:
  bool watches(int pe) const noexcept { return pe != self_ && (self_ == 0 || pe == 0); }

  int self_;
  Nanos silence_;
  Nanos next_beat_ = 0;
  std::vector<Nanos> heard_;
};

}  // namespace trawl::recover
