// How what PEs say to each other (kinds.hpp) is sent, and read when it is long.
#pragma once

#include <span>
#include <utility>

#include "rts/fabric/kinds.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::fabric {

/// Sends messages on a PE's behalf.
class Outbox {
 public:
  /// A message to be appended to and then sent, to the same PE.
  virtual Writer open(Kind kind, int to) = 0;
  virtual void send(int to, Writer message) = 0;
  /// Has all that was sent left this PE?
  virtual bool flushed() { return true; }

  /// What is read next takes long and needs nothing that the PE's lock guards: from `step_out` to
  /// `step_in` others may have it, and the reader looks around between two pieces. First comes
  /// `hold`: the message being read stays where that says. Meanwhile no other node arrives here.
  virtual std::span<const std::byte> hold(std::span<const std::byte> message) { return message; }
  virtual void step_out() {}
  virtual void look_around() {}
  virtual void step_in() noexcept {}

  /// The time, and about how long a message and its answer take between here and that PE.
  virtual Nanos now() const { return 0; }
  virtual Nanos round_trip(int) const { return 0; }
  /// How long the link from one to another PE's cluster takes for so many bytes, beside its
  /// latency, as far as is known; within a cluster nothing.
  virtual Nanos carrying(int /*from*/, int /*to*/, std::size_t /*bytes*/) const { return 0; }
  /// In which cluster a PE is.
  virtual std::uint32_t cluster_of(int) const { return 0; }

 protected:
  ~Outbox() = default;
};

template <class Message>
Writer written(Outbox& outbox, int to, const Message& message) {
  auto out = outbox.open(Message::kind, to);
  message.write(out);
  return out;
}

template <class Message>
void send(Outbox& outbox, int to, const Message& message) {
  outbox.send(to, written(outbox, to, message));
}

/// A message that says everything by its kind.
template <Kind its_kind>
struct Bare {
  static constexpr Kind kind = its_kind;

  void write(Writer&) const {}
  static Bare read(Reader& in, const Envelope&) {
    in.end();
    return {};
  }

  friend bool operator==(const Bare&, const Bare&) = default;
};

}  // namespace trawl::fabric
