#include "rts/recover/messages.hpp"

#include "rts/heap/weights.hpp"

namespace trawl::recover {
namespace {

Round read_round(Reader& in) {
  const auto round = static_cast<Round>(in.get<std::uint32_t>());
  if (round != Round::before && round != Round::held) throw BadBytes("it is of no round");
  return round;
}

}  // namespace

void Sent::write(Writer& out) const {
  out.put(view);
  out.put(round);
  out.put(static_cast<std::uint32_t>(messages.size()));
  for (const auto& [pe, number] : messages) {
    out.put(pe);
    out.put(number);
  }
}

Sent Sent::read(Reader& in, const fabric::Envelope& envelope) {
  Sent sent;
  sent.view = in.get<std::uint32_t>();
  sent.round = read_round(in);
  const auto count = heap::read_count(in, sizeof(std::uint32_t) + sizeof(std::uint64_t));
  sent.messages.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto pe = in.get<std::uint32_t>();
    const auto number = in.get<std::uint64_t>();
    if (!envelope.has(pe)) throw BadBytes("it names a PE that does not exist");
    if (number == 0) throw BadBytes("it counts what was not sent");
    sent.messages.emplace_back(pe, number);
  }
  return sent;
}

Due Due::read(Reader& in, const fabric::Envelope&) {
  Due due;
  due.view = in.get<std::uint32_t>();
  due.round = read_round(in);
  due.messages = in.get<std::uint64_t>();
  in.end();
  return due;
}

void Due::write(Writer& out) const {
  out.put(view);
  out.put(round);
  out.put(messages);
}

void Held::write(Writer& out) const {
  out.put(view);
  heap::write_weights(out, weights);
}

Held Held::read(Reader& in, const fabric::Envelope&) {
  const auto view = in.get<std::uint32_t>();
  return {view, heap::read_weights(in)};
}

}  // namespace trawl::recover
