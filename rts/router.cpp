#include "rts/router.hpp"

#include <new>
#include <string>

namespace trawl {

using fabric::Kind;

void Router::deliver(int from, std::span<const std::byte> bytes, Nanos now, sched::Worker* by) {
  Reader message(bytes);
  std::string_view name = "message";
  try {
    const auto number = message.get<std::uint8_t>();
    if (number >= fabric::kinds) throw BadBytes("it is of unknown kind");
    const auto kind = static_cast<Kind>(number);
    name = fabric::name_of(kind);
    trace::note(rooms_.log, trace::Kind::message_received, 0, static_cast<std::uint32_t>(from),
                number);
    if (fabric::carries_tables(kind)) read_tables(message, from, now);
    dispatch(kind, message, from, now, by);
    // Not before: while it is read, others may ask whether anything is under way.
    if (fabric::carries_work(kind)) rooms_.deadlock_detector.received();
  } catch (const BadBytes& e) {
    throw Error("PE " + std::to_string(from) + " sent PE " + std::to_string(self_) + " a bad " +
                std::string(name) + ": " + e.what());
  } catch (const std::bad_alloc&) {
    throw Error("PE " + std::to_string(self_) + " has no memory for the " + std::string(name) +
                " that PE " + std::to_string(from) + " sent it");
  }
}

void Router::read_tables(Reader& message, int from, Nanos now) {
  const auto common = now + rooms_.life.clock_offset();
  const auto load = rooms_.tables.read_piggyback(message, from, common);
  if (from != self_) rooms_.tables.note_latency(self_, from, {common - load.measured, common});
}

void Router::dispatch(Kind kind, Reader& message, int from, Nanos now, sched::Worker* by) {
  auto& [tables, shared_heap, fishing, deadlock_detector, life, log] = rooms_;
  if (life.stopping() && kind <= Kind::work_available) return;
  switch (kind) {
    case Kind::fish:
      return fishing.on_fish(message, by, now);
    case Kind::schedule:
      trace::note(log, trace::Kind::spark_import, 0, static_cast<std::uint32_t>(from));
      if (shared_heap.on_schedule(message)) fishing.caught();
      return;
    case Kind::fetch:
      return shared_heap.on_fetch(message);
    case Kind::resume:
      trace::note(log, trace::Kind::resume_received, 0, static_cast<std::uint32_t>(from));
      return shared_heap.on_resume(message);
    case Kind::ack:
      return shared_heap.on_ack(message);
    case Kind::free:
      return shared_heap.on_free(message);
    case Kind::work_available:
      return fishing.on_work_available(from);
    case Kind::hello:
      return life.on_hello(message, from, now);
    case Kind::welcome:
      return life.on_welcome(message, now);
    case Kind::ping:
      return life.on_ping(message, from, now);
    case Kind::pong:
      return life.on_pong(message, from, now);
    case Kind::probe:
      return deadlock_detector.on_probe(message, by);
    case Kind::state:
      return deadlock_detector.on_state(message, from);
    case Kind::finish:
      return life.on_finish(message);
    case Kind::bye:
      return life.on_bye(message, from);
    case Kind::leave:
      return life.on_leave();
    case Kind::fail:
      return life.on_fail(message);
  }
}

}  // namespace trawl
