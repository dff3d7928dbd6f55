// The end of a run, by the PEs' own handshake: FINISH from the main PE, BYE with its statistics
// from each other, LEAVE from the main PE. Nobody waits for anybody for long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rts/fabric/message.hpp"
#include "rts/life/messages.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::life {

/// How a run ended, for one PE.
struct Outcome {
  int code = 0;
  std::string error;      ///< why it failed, if it did and this PE is the one to say so
  bool given_up = false;  ///< the run goes on without this PE
  std::vector<std::optional<Statistics>>
      statistics;  ///< by PE, if it answered; on the main PE only
};

/// Guarded by its PE's lock.
class Ending {
 public:
  Ending(int self, int pes, fabric::Outbox& outbox);

  /// The main PE: the root computation is over. Here and in `on_finish`, `round_trip` is the
  /// longest that an answer may take on its way.
  void finish(int code, Nanos now, const Statistics& own, Nanos round_trip);

  void on_finish(Nanos now, const Statistics& own, Nanos round_trip);
  void on_bye(const Bye& message, int from);
  /// The main PE: what a PE has counted that does not stay to the end.
  void note_statistics(int pe, const Statistics& statistics);
  void on_leave() noexcept { may_leave_ = true; }

  /// Something has come from a PE: it is alive, and its BYE may be behind what is under way.
  void heard(int from, Nanos now);
  /// A PE is gone: nobody needs to wait for it. Or it has come.
  void dead(int pe);
  void joined(int pe);

  /// This PE needs no one any more, and nobody needs it. `flushed`: all its messages have left.
  std::optional<Outcome> over(Nanos now, bool flushed);

 private:
  int self_;
  fabric::Outbox& outbox_;
  void begin(Nanos now, Nanos round_trip);
  void no_longer_missing(int pe);

  bool begun_ = false;
  bool may_leave_ = false;
  int code_ = 0;
  std::vector<bool> missing_;  // by PE; the main PE's
  std::size_t missing_count_;
  Nanos patience_ = 0;
  Nanos deadline_ = 0;
  std::vector<std::optional<Statistics>> statistics_;
};

}  // namespace trawl::life
