// A stream cut into frames, sealed or not.
//
//     | length 3 | kind 1 | content ... |
//
// Sealed, the content is encrypted and has 16 more bytes, by which it is seen whether all of the
// frame is what was sent, and in its turn (ChaCha20-Poly1305, numbered).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rts/fabric/net/handshake.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::fabric::net {

enum class Frame : std::uint8_t {
  message,  ///< of the PE at the other end
  card,     ///< to the main PE: who would like to take part
  members,  ///< from the main PE: who all are
  pe,       ///< to any other: which PE has connected
  goodbye,  ///< the sender leaves, and means to; to who has sent a card: it can't take part
  over,     ///< to who has sent a card: the run has ended
};
inline constexpr std::uint8_t frame_kinds = static_cast<std::uint8_t>(Frame::over) + 1;

/// The longest content that travels, in bytes.
inline constexpr std::size_t longest_frame = std::size_t{128} << 10U;
inline constexpr std::size_t frame_head = 4;

/// Seals what goes one way.
class Sealer {
 public:
  /// nullptr: what is written is sent as it is.
  explicit Sealer(const Secret* secret);
  bool seals() const noexcept { return seals_; }

  /// The head of a frame that is not sealed.
  static std::uint32_t head(Frame kind, std::size_t length) noexcept;
  /// Appends a frame, of at most `longest_frame` bytes.
  void append(Frame kind, std::span<const std::byte> content, Bytes& out);

 private:
  bool seals_;
  Secret secret_{};
  std::uint64_t number_ = 0;
};

/// Cuts what has come. It never holds more than two frames' memory, whatever comes.
class FrameReader {
 public:
  struct Found {
    Frame kind;
    std::span<const std::byte> content;  ///< until the next call of anything here
  };

  explicit FrameReader(const Secret* secret);

  /// Where what comes next may be written; and how much has been.
  std::span<std::byte> room();
  void filled(std::size_t bytes) noexcept { end_ += bytes; }

  /// The next whole frame. Throws BadBytes for what can't be one; nothing may be read after that.
  std::optional<Found> next();

 private:
  Bytes buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool sealed_;
  Secret secret_{};
  std::uint64_t number_ = 0;
};

}  // namespace trawl::fabric::net
