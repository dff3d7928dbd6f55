#include "rts/sched/messages.hpp"

namespace trawl::sched {

void Found::write(Writer& out) const {
  out.put(bound.pe);
  out.put(bound.number);
  out.put(finder);
  out.put(number);
}

Found Found::read(Reader& in, const fabric::Envelope& envelope) {
  Found found;
  found.bound.pe = in.get<std::uint32_t>();
  found.bound.number = in.get<std::uint32_t>();
  found.finder = in.get<std::uint32_t>();
  if (!envelope.has(found.bound.pe) || !envelope.has(found.finder))
    throw BadBytes("it names a PE that does not exist");
  if (found.bound.number == 0) throw BadBytes("it is about no bound");
  found.number = in.get<std::uint64_t>();
  in.end();
  return found;
}

Probe Probe::read(Reader& in, const fabric::Envelope&) {
  const Probe probe{in.get<std::uint32_t>()};
  in.end();
  return probe;
}

void State::write(Writer& out) const {
  out.put(round);
  out.put(static_cast<std::uint8_t>(rest.at_rest));
  out.put(rest.sent);
  out.put(rest.received);
  out.put_string(rest.report);
}

State State::read(Reader& in, const fabric::Envelope&) {
  State state;
  state.round = in.get<std::uint32_t>();
  const auto at_rest = in.get<std::uint8_t>();
  if (at_rest > 1) throw BadBytes("it is neither at rest nor not");
  state.rest.at_rest = at_rest == 1;
  state.rest.sent = in.get<std::uint64_t>();
  state.rest.received = in.get<std::uint64_t>();
  state.rest.report = in.get_string();
  in.end();
  return state;
}

}  // namespace trawl::sched
