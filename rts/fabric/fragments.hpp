// Messages of any length over a fabric that bounds theirs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "rts/fabric/fabric.hpp"

namespace trawl::fabric {

/// Cuts messages longer than a fabric's limit() into fragments and puts them together again. One
/// per PE, used under the same lock as its fabric. All PEs' fabrics have the same limit().
///
/// The first `prefix` bytes of every message belong to the Fragmenter: the sender has them written
/// (`begin`), the receiver skips them (`payload`). So a message that fits is not copied.
class Fragmenter {
 public:
  static constexpr std::size_t prefix = 1;

  /// The longest message, in bytes.
  static constexpr std::uint64_t max_message = std::uint64_t{1} << 40;

  /// The most messages one PE may have begun and not finished.
  static constexpr std::size_t max_unfinished = 4096;

  /// Writes the prefix of a message.
  static void begin(Writer& message);
  /// Sends a message that starts with its prefix.
  void send(Fabric& fabric, int to, std::span<const std::byte> message);

  /// What has arrived next, if anything: a whole message, or without bytes, where it was a fragment
  /// of one that is not whole yet. The bytes stay there until the next call.
  /// Throws BadBytes, naming the sender, for a fragment that makes no sense; the fragment is
  /// dropped and receiving can go on.
  std::optional<Arrival> receive(Fabric& fabric);

  /// What the sender wrote behind the prefix.
  static std::span<const std::byte> payload(const Arrival& arrival) noexcept {
    return arrival.bytes.subspan(prefix);
  }

  /// Drops what a PE that died has left unfinished.
  void forget(int pe) { unfinished_.erase(pe); }

 private:
  /// A message in the making: its first `next` fragments are in place, those that overtook wait.
  struct Unfinished {
    std::uint64_t total;
    std::uint64_t next = 0;
    std::map<std::uint64_t, Bytes> early{};
    Bytes message{};  ///< the first `filled` bytes are there
    std::size_t filled = prefix;

    void append(std::span<const std::byte> data);
  };

  Arrival accept(const Arrival& arrival, std::size_t limit);

  std::uint64_t last_id_ = 0;
  std::unordered_map<int, std::unordered_map<std::uint64_t, Unfinished>> unfinished_;
  Bytes complete_;  // the last that came in fragments
};

}  // namespace trawl::fabric
