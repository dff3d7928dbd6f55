// The connection to a PE on another host, after the handshake.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rts/fabric/net/frames.hpp"
#include "rts/fabric/net/socket.hpp"

namespace trawl::fabric::net {

class Link {
 public:
  /// `session`: nullptr if frames are not sealed. `knocker`: are we the end that has connected?
  Link(Socket socket, const Session* session, bool knocker);

  /// Sends at once what the socket takes, and keeps the rest. After the end it is dropped.
  void send(Frame kind, std::span<const std::byte> content);
  /// Sends more of what was kept.
  void flush() noexcept;
  std::size_t unsent() const noexcept { return out_.size() - sent_; }
  /// Has the other end's kernel all of it?
  bool flushed() const noexcept { return !writes_ || (unsent() == 0 && socket_.all_arrived()); }
  void end_writing() const noexcept { socket_.end_writing(); }
  void give_up_after(Nanos silence) const noexcept { socket_.give_up_after(silence); }

  /// Reads from the socket, once. False: there was nothing.
  bool fill();
  /// The next frame of what was read. Throws BadBytes.
  std::optional<FrameReader::Found> next() { return reader_.next(); }

  /// No more will come but what was read.
  bool ended() const noexcept { return ended_; }
  int file() const noexcept { return socket_.file(); }

 private:
  void cannot_write() noexcept;

  Socket socket_;
  Sealer sealer_;
  FrameReader reader_;
  Bytes out_;
  std::size_t sent_ = 0;  // of out_
  bool writes_ = true;
  bool ended_ = false;
};

}  // namespace trawl::fabric::net
