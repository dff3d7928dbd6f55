// Who may come in: two PEs that connect prove to each other that they know the run's key, and that
// they are of the same program, version and kind of machine. Pure: bytes in, bytes out.
//
// Who has connected knocks; the other answers; the first confirms. All three are of fixed length,
// and nothing is read behind them before they are found good.
//
//     knock    | "TRAWLNET" | Identity | sealed 1 | public key 32 | tag 32 |
//     answer   | "TRAWLNET" | verdict 1 | public key 32 | tag 32 |
//     confirm  | tag 32 |
//
// A tag is a keyed hash (BLAKE2b) of all that was said before it: of the first two the key is the
// run's, of the last it is the session's, which needs one of the two secrets of this connection
// too (X25519): a knock that was overheard opens nothing, and who learns the run's key later can't
// read what was said before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rts/fabric/net/key.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::fabric::net {

/// What PEs of a run have in common. Builds for different processors of one architecture do.
struct Identity {
  std::array<char, 16> version{};       ///< Trawl's
  std::array<char, 16> architecture{};  ///< how values lie in memory
  std::uint64_t program = 0;            ///< digest of its table of functions
  std::uint64_t flags = 0;  ///< of its arguments, and flags that are alike; 0: nobody compares them
};

/// This process's.
Identity own_identity(std::string_view version, std::uint64_t program, std::uint64_t flags = 0);

struct Terms {
  Key key;
  Identity identity;
  bool sealed = true;     ///< are frames encrypted?
  Nanos silence = never;  ///< what is not acknowledged for so long was lost with its connection
};

/// Why somebody is refused, in the order in which it is looked at.
enum class Verdict : std::uint8_t {
  come_in,
  stranger,
  key,
  architecture,
  version,
  program,
  flags,
  sealing
};

/// "it has no key, or another one" and the like.
std::string_view said_of_other(Verdict verdict);
/// The same, said by the one who was refused: "this PE has ...".
std::string_view said_of_self(Verdict verdict);

using Secret = std::array<std::uint8_t, 32>;

/// By which the frames of each direction are sealed.
struct Session {
  Secret from_knocker{};
  Secret to_knocker{};
};

inline constexpr std::size_t knock_size = 8 + sizeof(Identity) + 1 + 32 + 32;
inline constexpr std::size_t answer_size = 8 + 1 + 32 + 32;
inline constexpr std::size_t confirm_size = 32;

/// The end that has connected.
class Knocker {
 public:
  explicit Knocker(const Terms& terms);

  const Bytes& knock() const noexcept { return knock_; }
  /// Reads an answer of `answer_size` bytes. `confirm()` and `session()` are there if it was
  /// `come_in`.
  Verdict read(std::span<const std::byte> answer);
  const Bytes& confirm() const noexcept { return confirm_; }
  const Session& session() const noexcept { return session_; }

 private:
  Terms terms_;
  Secret secret_{};
  Bytes knock_;
  Bytes confirm_;
  Session session_;
};

/// The end that listens.
class Doorkeeper {
 public:
  explicit Doorkeeper(const Terms& terms) : terms_(terms) {}

  /// Could this be how one begins? Who says something else needn't be listened to any longer.
  static bool may_be_knock(std::span<const std::byte> beginning);
  /// Reads a knock of `knock_size` bytes. Whatever the verdict, there is an `answer()`.
  Verdict read(std::span<const std::byte> knock);
  const Bytes& answer() const noexcept { return answer_; }
  /// Of `confirm_size` bytes.
  bool confirmed(std::span<const std::byte> confirm) const;
  const Session& session() const noexcept { return session_; }

 private:
  Verdict judge(std::span<const std::byte> knock) const;

  Terms terms_;
  Bytes answer_;
  Bytes expected_;  // confirmation
  Session session_;
};

}  // namespace trawl::fabric::net
