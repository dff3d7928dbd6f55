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
