#include "rts/heap/messages.hpp"

#include <cstddef>
#include <type_traits>

#include "rts/heap/weights.hpp"

namespace trawl::heap {
namespace {

static_assert(offsetof(Resume, ticket) + sizeof(std::uint32_t) == Resume::size);

void check(const Address& at, const fabric::Envelope& envelope) {
  if (!envelope.has(at.pe)) throw BadBytes("it names a PE that does not exist");
  if (at.unused != 0) throw BadBytes("one of its addresses makes no sense");
}

// The weight must be some: what has none can't be given back.
Reference read_reference(Reader& in, const fabric::Envelope& envelope) {
  Reference reference;
  in.raw(&reference, sizeof reference);
  check(reference.at, envelope);
  if (reference.weight == 0) throw BadBytes("it has a reference without weight");
  return reference;
}

bool is_of(const Address& at, int pe) {
  return at.pe == static_cast<std::uint32_t>(pe);
}

}  // namespace

void Schedule::write(Writer& out) const {
  out.put(fish);
  out.put<std::uint8_t>(again ? 1 : 0);
}

Schedule Schedule::read(Reader& in, const fabric::Envelope&) {
  const auto fish = in.get<std::uint16_t>();
  const auto again = in.get<std::uint8_t>();
  if (again > 1) throw BadBytes("it says neither that another PE has it, nor that none has");
  return {fish, again == 1};
}

void Fetch::write(Writer& out) const {
  out.put(target);
  out.put(pe);
  out.put(ticket);
  out.put(key.pe);
  out.put(std::uint32_t{direct});
  out.put(key.slot);
}

Fetch Fetch::read(Reader& in, const fabric::Envelope& envelope) {
  Fetch fetch;
  fetch.target = in.get<Address>();
  fetch.pe = in.get<std::uint32_t>();
  fetch.ticket = in.get<std::uint32_t>();
  fetch.key.pe = in.get<std::uint32_t>();
  const auto direct = in.get<std::uint32_t>();
  fetch.key.slot = in.get<std::uint64_t>();
  if (direct > 1) throw BadBytes("it is to be answered in no known way");
  fetch.direct = direct == 1;
  in.end();
  check(fetch.target, envelope);
  check(fetch.key, envelope);
  if (!envelope.has(fetch.pe)) throw BadBytes("it is from a PE that does not exist");
  if (fetch.key.pe == fetch.pe) throw BadBytes("it is from the PE that has the node");
  return fetch;
}

void Relay::write(Writer& out) const {
  out.put(key);
  out.put(copy);
  out.put(pe);
  out.put(ticket);
}

Relay Relay::read(Reader& in, const fabric::Envelope& envelope) {
  Relay relay;
  relay.key = in.get<Address>();
  relay.copy = in.get<std::uint32_t>();
  relay.pe = in.get<std::uint32_t>();
  relay.ticket = in.get<std::uint32_t>();
  in.end();
  check(relay.key, envelope);
  if (!is_of(relay.key, envelope.from)) throw BadBytes("it offers a value of another PE");
  if (!envelope.has(relay.pe)) throw BadBytes("it is for a PE that does not exist");
  if (relay.pe == relay.key.pe || is_of({relay.pe, 0, 0}, envelope.to))
    throw BadBytes("it is for a PE that has the value");
  return relay;
}

Resume Resume::read(Reader& in, const fabric::Envelope& envelope) {
  Resume resume;
  in.raw(&resume, size);
  check(resume.key, envelope);
  if (is_of(resume.key, envelope.to) != (resume.weight != 0))
    throw BadBytes("it brings weight for a proxy, or none for a node of this PE");
  return resume;
}

void Ack::write(Writer& out) const {
  out.put(static_cast<std::uint32_t>(thunks.size()));
  for (const auto& moved : thunks) {
    out.put(moved.was);
    out.put(moved.is);
  }
}

Ack Ack::read(Reader& in, const fabric::Envelope& envelope) {
  Ack ack;
  const auto count = read_count(in, 2 * sizeof(Reference));
  if (count == 0) throw BadBytes("it acknowledges nothing");
  ack.thunks.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto was = read_reference(in, envelope);
    const auto is = read_reference(in, envelope);
    if (!is_of(was.at, envelope.to) || !is_of(is.at, envelope.from))
      throw BadBytes("it acknowledges a thunk that did not go from here to there");
    ack.thunks.push_back({was, is});
  }
  return ack;
}

void Free::write(Writer& out) const {
  write_weights(out, weights);
}

Free Free::read(Reader& in, const fabric::Envelope&) {
  return {read_weights(in)};
}

}  // namespace trawl::heap
