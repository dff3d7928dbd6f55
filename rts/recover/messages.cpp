#include "rts/recover/messages.hpp"

namespace trawl::recover {
namespace {

Round read_round(Reader& in) {
  const auto round = static_cast<Round>(in.get<std::uint32_t>());
  if (round != Round::before && round != Round::held) throw BadBytes("it is of no round");
  return round;
}

// Of what fills the rest: so no more memory is taken than has come.
std::uint32_t read_count(Reader& in, std::size_t size_of_each) {
  const auto count = in.get<std::uint32_t>();
  if (in.left() != count * size_of_each) throw BadBytes("it is not as long as it says");
  return count;
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
  const auto count = read_count(in, sizeof(std::uint32_t) + sizeof(std::uint64_t));
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
  out.put(static_cast<std::uint32_t>(weights.size()));
  for (const auto& [slot, weight] : weights) {
    out.put(slot);
    out.put(weight);
  }
}

Held Held::read(Reader& in, const fabric::Envelope&) {
  Held held;
  held.view = in.get<std::uint32_t>();
  const auto count = read_count(in, sizeof(std::uint64_t) + sizeof(heap::Weight));
  held.weights.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto slot = in.get<std::uint64_t>();
    const auto weight = in.get<heap::Weight>();
    if (weight == 0) throw BadBytes("it holds no weight");
    held.weights.emplace_back(slot, weight);
  }
  return held;
}

}  // namespace trawl::recover
