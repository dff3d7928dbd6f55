// TCP, never waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::fabric::net {

/// Where somebody listens.
struct Endpoint {
  std::array<std::uint8_t, 16> address{};  ///< of IPv6, or of IPv4 mapped into it
  std::uint16_t port = 0;

  std::string text() const;
  /// Of the host itself, for nobody else.
  bool is_loopback() const;
};

/// HOST:PORT or [ADDRESS]:PORT, with all addresses of the host. Throws Error (exit code 2) if it
/// isn't that, or the host is unknown.
std::vector<Endpoint> find_endpoints(std::string_view text);

/// This host's own addresses, those that others can reach first.
std::vector<Endpoint> own_endpoints(std::uint16_t port);

/// A socket that is closed at the end. No call waits.
class Socket {
 public:
  enum class Moved : std::uint8_t { some, none, ended };
  struct Count {
    Moved what;
    std::size_t bytes = 0;
  };

  Socket() = default;
  explicit Socket(int file) noexcept : file_(file) {}
  ~Socket();
  Socket(Socket&& other) noexcept
      : file_(std::exchange(other.file_, -1)), trouble_(other.trouble_) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(trouble_, other.trouble_);
    return *this;
  }

  /// Listens at a port, 0: any, of all devices or of this host only. Throws Error.
  static Socket listening(std::uint16_t port, bool only_here);
  /// One that somebody else has made and handed on. Throws Error if it does not listen.
  static Socket handed_on(int file);
  /// Begins to connect.
  static Socket to(const Endpoint& endpoint);

  explicit operator bool() const noexcept { return file_ >= 0; }
  int file() const noexcept { return file_; }
  std::uint16_t port() const;  ///< our own

  /// Somebody who has connected to this one, if anybody has.
  std::optional<std::pair<Socket, Endpoint>> accept() const;
  /// Once it is connected, or never will be: what is wrong, empty if nothing is.
  std::optional<std::string> connected() const;

  Count read(std::span<std::byte> into) const noexcept;
  /// As much as there is room for, of one and then of the other.
  Count write(std::span<const std::byte> first,
              std::span<const std::byte> second = {}) const noexcept;
  /// Has the other end's kernel all that was written?
  bool all_arrived() const noexcept;
  /// The connection ends where the other end's kernel acknowledges nothing for so long, or takes
  /// nothing.
  void give_up_after(Nanos silence) const noexcept;
  /// Nothing more will be written.
  void end_writing() const noexcept;

 private:
  int file_ = -1;
  int trouble_ = 0;  // why it can't be connected (errno)
};

}  // namespace trawl::fabric::net
