// The connections of a PE with those of other hosts, one with each. Of two PEs the one that has the
// higher number connects: it came later.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "rts/fabric/fabric.hpp"
#include "rts/fabric/net/gather.hpp"

namespace trawl::fabric::net {

class Links {
 public:
  /// `apart`: by PE, is it on another host?
  Links(Gathered gathered, std::vector<bool> apart, const Terms& terms, Nanos now);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// To a PE on another host; what is for one that has ended is dropped.
  void send(int to, std::span<const std::byte> message);
  /// The next message of any. Whose frames can't be right is dead.
  std::optional<Arrival> receive();
  /// Sends more of what sockets had no room for.
  void flush();

  // ---- PEs that come later

  /// Looks at the door; at the main PE gives the next seat to who waits there. Which.
  std::optional<int> newcomer(Nanos now);
  /// Looks at the door, and sends away who waits there.
  void refuse_newcomers(Nanos now);
  const Member& member(int pe) const noexcept { return members_[static_cast<std::size_t>(pe)]; }
  /// One has come, to another host: it will connect.
  void expect(int pe, const Member& member);
  /// It is gone.
  void forget(int pe) noexcept;

  /// Bytes for a PE that have not left.
  std::size_t unsent(int to) const noexcept;
  bool sending() const noexcept { return !sending_.empty(); }
  /// Has the kernel of each PE that is not gone all that was for it?
  bool flushed();
  bool any() const noexcept { return apart_ != 0; }

  /// A PE whose connection has ended before it said goodbye, or never came about.
  std::optional<Dead> dead();

  /// To all: this PE's end is meant. Waits, but not for long, until they have it.
  void say_goodbye() noexcept;

 private:
  struct Peer {
    std::optional<Link> link{};
    std::optional<Meeting> call{};  // before there is a link
    std::deque<Bytes> early{};      // messages from before there was a link
    std::size_t early_bytes = 0;
    bool apart = false;
    bool sending = false;  // it is in sending_
    bool over = false;     // it has said goodbye, or was reported dead
  };

  Peer& peer(int pe) noexcept { return peers_[static_cast<std::size_t>(pe)]; }
  const Peer& peer(int pe) const noexcept { return peers_[static_cast<std::size_t>(pe)]; }
  void begin(int pe, Link link);
  void end(int pe);
  void lose(int pe, const std::string& why);
  void set_apart(int pe);
  void look_for_links(Nanos now);
  void look_at_times(Nanos now);
  void take(Guest guest);
  std::optional<Arrival> next_of(int pe);
  bool fill_any();
  void flush_answers();
  bool turn_all_away() noexcept;

  int self_;
  Nanos silence_;
  std::vector<Peer> peers_;  // by PE
  bool admits_;
  std::vector<Member> members_;
  std::deque<Guest> waiting_;   // at the door, the main PE's
  std::vector<Link> answered_;  // there, of this host, until they have got their answer
  std::optional<Door> door_;
  int apart_ = 0;           // PEs on other hosts
  int missing_ = 0;         // of these, with which there is no link yet
  unsigned calls_ = 0;      // of receive
  Nanos looked_ = 0;        // when, at the door, all others being there
  int sockets_ = -1;        // an epoll of all links
  std::deque<int> filled_;  // PEs of which there may be frames to be taken
  std::vector<int> sending_;
  std::vector<Dead> dead_;
};

}  // namespace trawl::fabric::net
