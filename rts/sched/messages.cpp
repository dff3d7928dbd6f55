#include "rts/sched/messages.hpp"

namespace trawl::sched {

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
