// Start-up: PEs introduce themselves to the main PE, which compares their clocks with its own and
// tells everybody about all (the static information of Grid-GUM2).
#pragma once

#include <string>
#include <unordered_map>
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
  /// The view that this PE has to have before it begins.
  std::uint32_t view() const noexcept { return view_; }

  const MainClock& main_clock() const noexcept { return main_clock_; }
  /// To the farthest PE that this one ends the run with: the main PE's to any, else to the main PE.
  Nanos round_trip() const noexcept { return round_trip_; }
  /// When all knew each other, by the main PE's clock.
  Nanos begun() const noexcept { return begun_; }

  /// They throw BadBytes when nobody asked, or Error when the PEs don't fit together.
  void on_hello(Hello message, int from, Nanos now);
  /// The main PE: one comes late; what is wrong with who has, if anything; and is it known by now,
  /// and told who all are? `view`: which it has to have first.
  void expect(int pe);
  bool is_late(int pe) const noexcept { return peers_[static_cast<std::size_t>(pe)].late; }
  std::string unlike(const Introduction& facts) const;
  bool greet(int pe, std::uint32_t view, Nanos now);
  balance::PeStatic facts_of(int pe);
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
    bool late = false;
  };

  void ping(int pe, Nanos now);
  void welcome_all(Nanos now);
  void welcome(int pe, Welcome& message, Nanos now);
  std::vector<balance::PeStatic> facts_of_all();
  std::vector<balance::Alike> set_roster();
  void know_all(const std::vector<balance::Alike>& all);

  int self_;
  balance::Tables& tables_;
  fabric::Outbox& outbox_;
  Introduction own_;
  std::vector<Peer> peers_;  // the main PE's
  std::unordered_map<std::string, std::uint32_t> clusters_;
  int missing_;
  bool complete_ = false;
  MainClock main_clock_;
  Nanos round_trip_ = 0;
  Nanos begun_ = 0;
  std::uint32_t view_ = 0;
};

}  // namespace trawl::life
