// A handshake on a socket, from either end: never waited for, in limited time.
#pragma once

#include <optional>
#include <string>

#include "rts/fabric/net/handshake.hpp"
#include "rts/fabric/net/link.hpp"
#include "rts/fabric/net/socket.hpp"

namespace trawl::fabric::net {

class Meeting {
 public:
  enum class State : std::uint8_t { going_on, met, failed };

  /// So long it may take, and so long who has met may wait for somebody to talk with.
  static constexpr Nanos patience = 10'000'000'000;

  /// We have connected, or are about to.
  static Meeting knocking(const Terms& terms, const Endpoint& at, Nanos now);
  /// Somebody has connected.
  static Meeting answering(const Terms& terms, Socket socket, const Endpoint& from, Nanos now);

  /// Goes on as far as it can without waiting. No more is read than one message of the handshake.
  State step(Nanos now);

  const Endpoint& other() const noexcept { return other_; }
  /// Why it has failed.
  const std::string& why() const noexcept { return why_; }
  /// Refused by the other end, or by us; else nobody was there, or it was lost.
  bool refused() const noexcept { return refused_; }
  /// Of a meeting that came to be; once.
  Link take_link();

 private:
  Meeting(const Terms& terms, Socket socket, const Endpoint& other, Nanos now);
  State fail(std::string why, bool refused = false);
  State knock();
  State answer();
  std::optional<std::span<const std::byte>> read(std::size_t size);
  bool write(const Bytes& bytes);

  Socket socket_;
  Endpoint other_;
  bool sealed_;
  Nanos give_up_;
  std::optional<Knocker> knocker_;
  std::optional<Doorkeeper> doorkeeper_;
  int stage_ = 0;
  Bytes in_;
  bool ended_ = false;
  bool refused_ = false;
  std::string why_;
};

}  // namespace trawl::fabric::net
