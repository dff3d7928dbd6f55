// Start-up: PEs introduce themselves to the main PE, which compares their clocks with its own and
// tells everybody about all (the static information of Grid-GUM2).
#pragma once

#include <vector>

#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/life/main_clock.hpp"
#include "rts/life/messages.hpp"

namespace trawl::life {

/// Guarded by its PE's lock.
class Start {
 public:
  Start(int self, int pes, Introduction own, balance::Tables& tables, fabric::Outbox& outbox);

  /// Sends the first message.
  void begin(Nanos now);
  bool complete() const noexcept { return complete_; }

  const MainClock& main_clock() const noexcept { return main_clock_; }
  /// To the farthest PE that this one ends the run with: the main PE's to any, else to the main PE.
  Nanos round_trip() const noexcept { return round_trip_; }
  /// When all knew each other, by the main PE's clock.
  Nanos begun() const noexcept { return begun_; }

  /// They throw BadBytes when nobody asked, or Error when the PEs don't fit together.
  void on_hello(Hello message, int from, Nanos now);
  void on_ping(const Ping& message, int from, Nanos now);
  void on_pong(const Pong& message, int from, Nanos now);
  void on_welcome(const Welcome& message, Nanos now);
  /// It will not answer any more.
  void dead(int pe, Nanos now);

 private:
  struct Peer {
    Introduction facts;
    bool introduced = false;
    int pongs = 0;
    Nanos best_round_trip = 0;
    Nanos offset = 0;
    bool same_clock = false;
    bool dead = false;
  };

  void ping(int pe, Nanos now);
  void welcome_all(Nanos now);
  std::vector<balance::Alike> set_roster();
  void know_all(const std::vector<balance::Alike>& all);

  int self_;
  balance::Tables& tables_;
  fabric::Outbox& outbox_;
  Introduction own_;
  std::vector<Peer> peers_;  // the main PE's
  int missing_;
  bool complete_ = false;
  MainClock main_clock_;
  Nanos round_trip_ = 0;
  Nanos begun_ = 0;
};

}  // namespace trawl::life
