// Blocked for ever is a bug report, not a hang: finds out that nobody anywhere can go on, and says
// who waits for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rts/fabric/message.hpp"
#include "rts/sched/messages.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {

/// When its own workers are at rest, the main PE asks all PEs, in rounds, whether theirs are, and
/// how many messages that carry work they have sent and received (Mattern's four counters). Two
/// equal rounds of rest, with everything received, are a deadlock; so is rest for very long with
/// messages missing: they are lost. Guarded by its PE's lock.
class DeadlockDetector {
 public:
  /// So long nothing changes with messages missing before they are called lost. Between hosts a
  /// connection that loses some ends after the silence, and a PE that is cut off by that is given
  /// up a second later: then nobody waits for them any more.
  static constexpr Nanos patience_with_lost(Nanos silence) {
    constexpr Nanos margin = 2'000'000'000;
    return 2 * silence + margin;
  }

  DeadlockDetector(int self, int pes, Workers& workers, fabric::Outbox& outbox, Nanos silence);

  /// A message that carries work was sent, or has arrived.
  void sent() noexcept { ++sent_; }
  void received() noexcept { ++received_; }
  /// How many more were sent here than have arrived; summed over all PEs: that are on their way.
  std::int64_t balance() const noexcept { return static_cast<std::int64_t>(sent_ - received_); }

  /// The main PE's turn; `by` as in Host::poll. Returns the report of a deadlock, else nothing.
  std::string look(Nanos now, const Worker* by);

  /// It answers no more, and what it has sent and received nobody knows.
  void dead(int pe);
  bool any_died() const noexcept { return any_died_; }
  /// Nobody has been there yet.
  void empty(int pe);
  /// Somebody has come.
  void joined(int pe);

  void on_probe(const Probe& message, const Worker* by);
  void on_state(State message, int from);

 private:
  Rest rest(const Worker* by, bool give_up);
  Rest own_state(const Worker* by) const;
  void begin_round(const Worker* by);
  void note_missing(int pe);
  std::string judge(Nanos now);
  std::string report() const;

  int self_;
  Workers& workers_;
  fabric::Outbox& outbox_;
  Nanos silence_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;

  std::uint32_t round_ = 0;
  std::size_t answers_ = 0;
  bool asking_ = false;
  bool give_up_ = false;   // in the next round
  bool given_up_ = false;  // since anything has changed
  std::vector<int> missing_;
  bool any_died_ = false;
  std::vector<std::optional<Rest>> states_;  // of who has answered
  std::vector<std::optional<Rest>> before_;
  Nanos next_round_ = 0;
  Nanos unchanged_since_ = 0;
};

}  // namespace trawl::sched
