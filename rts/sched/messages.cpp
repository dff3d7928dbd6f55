#include "rts/sched/messages.hpp"

namespace trawl::sched {
namespace {

void put(Writer& out, const SharedName& name) {
  out.put(name.pe);
  out.put(name.number);
}

SharedName get_name(Reader& in, const fabric::Envelope& envelope) {
  SharedName name;
  name.pe = in.get<std::uint32_t>();
  name.number = in.get<std::uint32_t>();
  if (!envelope.has(name.pe)) throw BadBytes("it names a PE that does not exist");
  if (name.number == 0) throw BadBytes("it is about nothing that PEs share");
  return name;
}

}  // namespace

void Found::write(Writer& out) const {
  put(out, bound);
  out.put(finder);
  out.put(number);
}

Found Found::read(Reader& in, const fabric::Envelope& envelope) {
  Found found;
  found.bound = get_name(in, envelope);
  found.finder = in.get<std::uint32_t>();
  if (!envelope.has(found.finder)) throw BadBytes("it names a PE that does not exist");
  found.number = in.get<std::uint64_t>();
  in.end();
  return found;
}

void Write::write(Writer& out) const {
  put(out, object);
  out.put(place);
  out.put(writer);
  out.put(ticket);
  out.put(code);
}

Write Write::read(Reader& in, const fabric::Envelope& envelope) {
  Write write;
  write.object = get_name(in, envelope);
  write.place = in.get<std::uint64_t>();
  write.writer = in.get<std::uint32_t>();
  if (!envelope.has(write.writer)) throw BadBytes("it names a PE that does not exist");
  const bool at_home = write.object.pe == static_cast<std::uint32_t>(envelope.to);
  if (at_home && write.writer != static_cast<std::uint32_t>(envelope.from))
    throw BadBytes("it stands in line for another PE");
  if (at_home && write.place != 0) throw BadBytes("it has a place that this PE has not given");
  if (!at_home && write.place == 0) throw BadBytes("it wants a place from who gives none");
  write.ticket = in.get<std::uint32_t>();
  if (write.ticket == 0) throw BadBytes("its writer has no number for it");
  write.code = in.get<std::uint32_t>();
  return write;
}

Probe Probe::read(Reader& in, const fabric::Envelope&) {
  const auto round = in.get<std::uint32_t>();
  const auto give_up = in.get<std::uint8_t>();
  if (give_up > 1) throw BadBytes("it is a probe of no kind");
  in.end();
  return {round, give_up == 1};
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
