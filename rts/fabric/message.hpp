// What PEs say to each other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rts/bytes.hpp"

namespace trawl::fabric {

/// The kinds of messages: GUM's six, one more about sparks, and the runtime's own housekeeping.
enum class Kind : std::uint8_t {
  fish,            ///< have you a spark for this PE?
  schedule,        ///< a spark, to be evaluated by the receiver
  fetch,           ///< send me this node
  resume,          ///< here is a node that you wait for
  ack,             ///< the thunks that you moved are here, under these addresses
  free,            ///< weights come home
  work_available,  ///< your FISH was here in vain: now there are sparks
  hello,           ///< start-up: who I am
  welcome,         ///< start-up: who all are
  ping,            ///< what does your clock say? Are you there?
  pong,
  probe,   ///< the main PE asks: have you anything to do?
  state,   ///< the answer
  finish,  ///< the program has ended
  bye,     ///< I have stopped; my statistics
  leave,   ///< you may exit
  fail,    ///< the run can't go on, because
};

inline constexpr std::uint8_t kinds = static_cast<std::uint8_t>(Kind::fail) + 1;

std::string_view name_of(Kind kind);

/// Before PEs know each other, and when they part, tables are of no use.
constexpr bool carries_tables(Kind kind) noexcept {
  return kind <= Kind::work_available || kind == Kind::probe || kind == Kind::state;
}
/// The program is not at rest while one is under way.
constexpr bool carries_work(Kind kind) noexcept {
  return kind == Kind::schedule || kind == Kind::fetch || kind == Kind::resume || kind == Kind::ack;
}
/// What comes with it may refer to nodes that another fills.
constexpr bool brings_nodes(Kind kind) noexcept {
  return kind == Kind::schedule || kind == Kind::resume || kind == Kind::ack;
}
/// Somebody can go on once it has come.
constexpr bool brings_work(Kind kind) noexcept {
  return kind == Kind::schedule || kind == Kind::resume;
}
/// It may come before PEs know each other.
constexpr bool is_for_strangers(Kind kind) noexcept {
  return kind == Kind::hello || kind == Kind::welcome || kind == Kind::ping || kind == Kind::pong ||
         kind == Kind::fail || kind == Kind::bye;
}

/// Sends messages on a PE's behalf; all but those of start and end carry the sender's load entries.
class Outbox {
 public:
  /// A message to be appended to and then sent, to the same PE.
  virtual Writer open(Kind kind, int to) = 0;
  virtual void send(int to, Writer message) = 0;

  /// What is read next takes long and needs nothing that the PE's lock guards: from `step_out` to
  /// `step_in` others may have it, and the reader looks around between two pieces. First comes
  /// `hold`: the message being read stays where that says. Meanwhile no other node arrives here.
  virtual std::span<const std::byte> hold(std::span<const std::byte> message) { return message; }
  virtual void step_out() {}
  virtual void look_around() {}
  virtual void step_in() noexcept {}

 protected:
  ~Outbox() = default;
};

}  // namespace trawl::fabric
