#include "rts/heap/messages.hpp"

#include <cstddef>
#include <type_traits>

namespace trawl::heap {
namespace {

static_assert(sizeof(Fetch) == 40 && std::is_trivially_copyable_v<Fetch>, "it goes as it is");
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

// Of what fills the rest: so no more memory is taken than has come.
std::uint32_t read_count(Reader& in, std::size_t size_of_each) {
  const auto count = in.get<std::uint32_t>();
  if (count == 0 || in.left() != count * size_of_each)
    throw BadBytes("it is not as long as it says");
  return count;
}

}  // namespace

void Schedule::write(Writer& out) const {
  out.put(fish);
}

Schedule Schedule::read(Reader& in, const fabric::Envelope&) {
  return {in.get<std::uint16_t>()};
}

Fetch Fetch::read(Reader& in, const fabric::Envelope& envelope) {
  const auto fetch = in.get<Fetch>();
  in.end();
  check(fetch.target, envelope);
  check(fetch.key, envelope);
  if (!envelope.has(fetch.pe)) throw BadBytes("it is from a PE that does not exist");
  if (fetch.key.pe == fetch.pe) throw BadBytes("it is from the PE that has the node");
  return fetch;
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
  out.put(static_cast<std::uint32_t>(weights.size()));
  for (const auto& [slot, weight] : weights) {
    out.put(slot);
    out.put(weight);
  }
}

Free Free::read(Reader& in, const fabric::Envelope&) {
  Free free;
  const auto count = read_count(in, sizeof(std::uint64_t) + sizeof(Weight));
  free.weights.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto slot = in.get<std::uint64_t>();
    const auto weight = in.get<Weight>();
    if (weight == 0) throw BadBytes("it brings no weight");
    free.weights.emplace_back(slot, weight);
  }
  return free;
}

}  // namespace trawl::heap
