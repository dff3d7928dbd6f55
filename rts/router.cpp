#include "rts/router.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "rts/balance/gauge.hpp"
#include "rts/heap/messages.hpp"
#include "rts/life/messages.hpp"
#include "rts/sched/messages.hpp"

namespace trawl {

using fabric::Kind;

namespace {

// In bytes: longer ones take their time by themselves, and tell no latency.
constexpr std::size_t short_message = 1024;

// It begins with the name that the spark had there.
void note_import(trace::Log& log, int from, std::uint16_t fish, Reader packet) {
  heap::Address at;
  if (packet.left() >= sizeof at) packet.raw(&at, sizeof at);
  log.event(trace::Kind::spark_import, 0, static_cast<std::uint32_t>(from), fish,
            trace::name_of_import(at.pe, at.slot));
}

void note_resume(trace::Log& log, int from, const heap::Code* code, std::size_t bytes) {
  log.event(trace::Kind::resume_received, 0, static_cast<std::uint32_t>(from), 0,
            code != nullptr ? code->id : trace::unknown_code,
            static_cast<std::uint32_t>(std::min<std::size_t>(bytes, UINT32_MAX)));
}

// Which sends it to itself, too.
void check_is_of_main_pe(const fabric::Envelope& envelope) {
  if (envelope.from != 0) throw BadBytes("only the main PE may send it");
}

}  // namespace

void Router::deliver(int from, std::span<const std::byte> bytes, Nanos now, sched::Worker* by) {
  const auto& row = fabric::row_of(bytes);
  const fabric::Envelope envelope{from, rooms_.tables.self(), rooms_.tables.size()};
  try {
    const auto phase = rooms_.life.phase();
    const auto fate = row.fate(phase);
    if (fate == fabric::Fate::refuse || !row.goes(from, envelope.to)) [[unlikely]]
      fabric::refuse(row, phase, envelope);
    if (rooms_.log != nullptr) [[unlikely]]
      rooms_.log->message(trace::Kind::message_received, from, static_cast<std::uint16_t>(row.kind),
                          bytes.size());
    if (fate == fabric::Fate::drop) return;
    Reader message(bytes.subspan(1));
    if (row.is(fabric::tables)) read_tables(message, from, now);
    dispatch(row.kind, message, envelope, now, by);
    // Not before: while it is read, others may ask whether anything is under way.
    if (row.is(fabric::carries_work)) rooms_.deadlock_detector.received();
  } catch (const BadBytes& e) {
    throw Error("PE " + std::to_string(from) + " sent PE " + std::to_string(envelope.to) +
                " a bad " + std::string(row.name) + ": " + e.what());
  } catch (const std::bad_alloc&) {
    throw Error("PE " + std::to_string(envelope.to) + " has no memory for the " +
                std::string(row.name) + " that PE " + std::to_string(from) +
                " sent it (--trawl:heap-max)");
  }
}

void Router::read_tables(Reader& message, int from, Nanos now) {
  auto& tables = rooms_.tables;
  const auto common = now + rooms_.life.main_clock().offset(now);
  const auto bytes = message.left();
  const auto load = tables.read_piggyback(message, from, common);
  if (from == tables.self()) return;
  const auto took = common - load.measured;
  if (bytes <= short_message) tables.note_latency(from, {took, common});
  tables.note_transfer(from, bytes, took, common);
}

void Router::dispatch(Kind kind, Reader& message, const fabric::Envelope& envelope, Nanos now,
                      sched::Worker* by) {
  auto& [tables, shared_heap, heap_watch, fishing, bounds, objects, deadlock_detector, life, census,
         watch, log] = rooms_;
  const int from = envelope.from;
  switch (kind) {
    case Kind::fish:
      return fishing.on_fish(balance::Fish::read(message, envelope), by, now);
    case Kind::schedule: {
      if (tables.is_far(from)) tables.note_spark(message.left());
      const auto schedule = heap::Schedule::read(message, envelope);
      if (log != nullptr) [[unlikely]]
        note_import(*log, from, schedule.fish, message);
      shared_heap.on_schedule(schedule, message, from);
      return schedule.fish != 0 ? fishing.caught(schedule.fish, now) : void();
    }
    case Kind::fetch:
      return shared_heap.on_fetch(heap::Fetch::read(message, envelope), from);
    case Kind::relay:
      return shared_heap.on_relay(heap::Relay::read(message, envelope));
    case Kind::resume: {
      if (tables.is_far(from))
        tables.note_result(message.left());
      else
        tables.note_near_result(message.left());
      const auto resume = heap::Resume::read(message, envelope);
      if (log != nullptr) [[unlikely]]
        note_resume(*log, from, shared_heap.asked_for(resume), message.left());
      return shared_heap.on_resume(resume, message, from);
    }
    case Kind::ack:
      return shared_heap.on_ack(heap::Ack::read(message, envelope));
    case Kind::free:
      return shared_heap.on_free(heap::Free::read(message, envelope), from);
    case Kind::collect:
      heap::Collect::read(message, envelope);
      return heap_watch.on_collect();
    case Kind::work_available:
      sched::WorkAvailable::read(message, envelope);
      return fishing.on_work_available(from, now);
    case Kind::found:
      return bounds.on_found(sched::Found::read(message, envelope));
    case Kind::write: {
      const auto write = sched::Write::read(message, envelope);
      return objects.on_write(write, message);
    }
    case Kind::hello:
      return life.on_hello(life::Hello::read(message, envelope), from, now);
    case Kind::welcome:
      return life.on_welcome(life::Welcome::read(message, envelope), now);
    case Kind::ping:
      return life.on_ping(life::Ping::read(message, envelope), from, now);
    case Kind::pong:
      return life.on_pong(life::Pong::read(message, envelope), from, now);
    case Kind::probe:
      return deadlock_detector.on_probe(sched::Probe::read(message, envelope), by);
    case Kind::state:
      return deadlock_detector.on_state(sched::State::read(message, envelope), from);
    case Kind::finish:
      life::Finish::read(message, envelope);
      return life.on_finish();
    case Kind::bye:
      return life.on_bye(life::Bye::read(message, envelope), from);
    case Kind::leave:
      life::Leave::read(message, envelope);
      return life.on_leave();
    case Kind::view: {
      const auto view = life::View::read(message, envelope);
      check_is_of_main_pe(envelope);
      return life.on_view(view, now);
    }
    case Kind::parting:
      return life.on_parting(life::Parting::read(message, envelope), from);
    case Kind::settled:
      return life.on_settled(life::Settled::read(message, envelope), from);
    case Kind::cut_off:
      return life.on_cut_off(life::CutOff::read(message, envelope), from);
    case Kind::fail:
      return life.on_fail(life::Fail::read(message, envelope));
    case Kind::look:
      watch::Look::read(message, envelope);
      return watch.on_look();
    case Kind::pulse:
      return watch.on_pulse(watch::Pulse::read(message, envelope), from, now - life.begun());
    case Kind::gauge:
      return fishing.on_gauge(balance::Gauge::read(message, envelope), from);
    case Kind::sent:
      return census.on_sent(recover::Sent::read(message, envelope), from);
    case Kind::due:
      check_is_of_main_pe(envelope);
      return census.on_due(recover::Due::read(message, envelope));
    case Kind::held:
      return census.on_held(recover::Held::read(message, envelope), from);
  }
}

}  // namespace trawl
