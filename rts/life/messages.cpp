#include "rts/life/messages.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "rts/heap/code.hpp"
#include "rts/inline/error.hpp"

namespace trawl::life {
namespace {

// Clocks of PEs differ by what they like, but not so much that comparing them overflows.
Nanos read_time(Reader& in) {
  constexpr Nanos far = 1'000'000'000'000'000'000;
  const auto time = in.get<Nanos>();
  if (time < -far || time > far) throw BadBytes("its time is impossible");
  return time;
}

void check_facts(double speed, int cores, std::int64_t memory) {
  if (!std::isfinite(speed) || speed <= 0 || cores < 1 || memory < 0)
    throw BadBytes("its facts are impossible");
}

}  // namespace

void Introduction::write(Writer& out) const {
  out.put(speed);
  out.put(cores);
  out.put_string(host);
  out.put_string(cluster);
  out.put(flags_digest);
  out.put(memory);
}

Introduction Introduction::read(Reader& in) {
  Introduction facts;
  facts.speed = in.get<double>();
  facts.cores = in.get<int>();
  facts.host = in.get_string();
  facts.cluster = in.get_string();
  facts.flags_digest = in.get<std::uint64_t>();
  facts.memory = in.get<std::int64_t>();
  check_facts(facts.speed, facts.cores, facts.memory);
  return facts;
}

void Hello::write(Writer& out) const {
  out.put(heap::CodeTable::get().digest());
  facts.write(out);
}

Hello Hello::read(Reader& in, const fabric::Envelope& envelope) {
  if (in.get<std::uint64_t>() != heap::CodeTable::get().digest())
    throw Error("PE " + std::to_string(envelope.from) +
                    " runs a different program; start the same binary everywhere",
                2);
  Hello hello{Introduction::read(in)};
  in.end();
  return hello;
}

void Welcome::write(Writer& out) const {
  out.put(offset);
  out.put(begun);
  out.put(latency);
  out.put(view);
  out.put(static_cast<std::uint8_t>(same_clock));
  for (const auto& alike : all) out.put(alike);
}

Welcome Welcome::read(Reader& in, const fabric::Envelope& envelope) {
  Welcome welcome;
  welcome.offset = read_time(in);
  welcome.begun = read_time(in);
  welcome.latency = read_time(in);
  if (welcome.latency < 0) throw BadBytes("its time is impossible");
  welcome.view = in.get<std::uint32_t>();
  const auto same_clock = in.get<std::uint8_t>();
  if (same_clock > 1 || (same_clock == 1 && welcome.offset != 0))
    throw BadBytes("it is neither one clock nor two");
  welcome.same_clock = same_clock == 1;
  auto left = static_cast<std::uint64_t>(envelope.pes);
  std::int64_t cluster = 0;
  while (left > 0) {
    const auto alike = in.get<balance::Alike>();
    const auto pes = std::uint64_t{alike.times} * alike.pes;
    if (pes == 0 || pes > left) throw BadBytes("it tells of other PEs");
    left -= pes;
    cluster += std::int64_t{alike.step} * alike.times;
    if (cluster < 0 || cluster >= envelope.pes) throw BadBytes("it tells of too many clusters");
    check_facts(alike.speed, alike.cores, alike.memory);
    welcome.all.push_back(alike);
  }
  in.end();
  return welcome;
}

Ping Ping::read(Reader& in, const fabric::Envelope&) {
  const Ping ping{read_time(in)};
  in.end();
  return ping;
}

void Pong::write(Writer& out) const {
  out.put(sent);
  out.put(answered);
}

Pong Pong::read(Reader& in, const fabric::Envelope&) {
  Pong pong;
  pong.sent = read_time(in);
  pong.answered = read_time(in);
  in.end();
  return pong;
}

namespace {

void write_statistics(Writer& out, const Statistics& statistics) {
  out.put(statistics.values);
  out.put(static_cast<std::uint32_t>(statistics.workers.size()));
  out.raw(statistics.workers.data(), statistics.workers.size() * sizeof(WorkerTimes));
}

// To the end of the message.
Statistics read_statistics(Reader& in) {
  Statistics statistics;
  auto& [values, workers] = statistics;
  in.raw(values.data(), sizeof values);
  const auto count = in.get<std::uint32_t>();
  if (in.left() != count * sizeof(WorkerTimes)) throw BadBytes("it is not as long as it says");
  workers.resize(count);
  in.raw(workers.data(), in.left());
  return statistics;
}

std::uint32_t read_mortal(Reader& in, const fabric::Envelope& envelope) {
  const auto pe = in.get<std::uint32_t>();
  if (!envelope.has(pe) || pe == 0) throw BadBytes("nobody of that name can be gone");
  return pe;
}

}  // namespace

void Bye::write(Writer& out) const {
  write_statistics(out, statistics);
}

Bye Bye::read(Reader& in, const fabric::Envelope&) {
  return {read_statistics(in)};
}

std::optional<View::What> View::last(int pe) const noexcept {
  std::optional<What> what;
  for (const auto& change : changes)
    if (change.pe == static_cast<std::uint32_t>(pe) && change.what != What::leaves)
      what = change.what;
  return what;
}

void View::write(Writer& out) const {
  out.put(static_cast<std::uint32_t>(changes.size()));
  for (const auto& change : changes) {
    out.put(change.pe);
    out.put(change.what);
    if (change.what != What::joined) continue;
    const auto& facts = change.facts;
    out.put(facts.speed);
    out.put(facts.cores);
    out.put(facts.cluster);
    out.put(facts.memory);
    out.put(static_cast<std::uint32_t>(change.card.size()));
    out.raw(change.card.data(), change.card.size());
  }
}

namespace {

// Of a PE that is known to be `known`, if anything, and may be about to leave.
void check_change(View::What what, std::optional<View::What> known, bool leaves) {
  using What = View::What;
  if (known == What::lost || known == What::left) throw BadBytes("it names a PE twice");
  const bool there = known != What::empty;
  const bool fits = what == What::joined   ? !there
                    : what == What::empty  ? !known && !leaves
                    : what == What::leaves ? there && !leaves
                    : what == What::left   ? !there || leaves
                                           : true;
  if (!fits) throw BadBytes("it says of a PE what can't become of it");
}

void read_newcomer(Reader& in, View::Change& change, const fabric::Envelope& envelope) {
  constexpr std::uint32_t longest_card = 1024;
  auto& facts = change.facts;
  facts.speed = in.get<double>();
  facts.cores = in.get<int>();
  facts.cluster = in.get<std::uint32_t>();
  facts.memory = in.get<std::int64_t>();
  check_facts(facts.speed, facts.cores, facts.memory);
  if (!envelope.has(facts.cluster)) throw BadBytes("it tells of too many clusters");
  const auto length = in.get<std::uint32_t>();
  if (length > longest_card) throw BadBytes("it has too long a card");
  change.card.resize(length);
  in.raw(change.card.data(), length);
}

}  // namespace

View View::read(Reader& in, const fabric::Envelope& envelope) {
  View view;
  const auto count = in.get<std::uint32_t>();
  if (count == 0 || count > in.left()) throw BadBytes("it is not as long as it says");
  std::vector<std::optional<What>> known(static_cast<std::size_t>(envelope.pes));
  std::vector<bool> leaves(known.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    Change change;
    change.pe = read_mortal(in, envelope);
    change.what = static_cast<What>(in.get<std::uint32_t>());
    if (change.what > What::joined) throw BadBytes("it says nothing that can become of a PE");
    check_change(change.what, known[change.pe], leaves[change.pe]);
    if (change.what == What::leaves)
      leaves[change.pe] = true;
    else
      known[change.pe] = change.what;
    if (change.what == What::joined) read_newcomer(in, change, envelope);
    view.changes.push_back(std::move(change));
  }
  in.end();
  return view;
}

void Parting::write(Writer& out) const {
  out.put(stage);
  out.put(threads);
  write_statistics(out, statistics);
}

Parting Parting::read(Reader& in, const fabric::Envelope&) {
  Parting parting;
  parting.stage = static_cast<Stage>(in.get<std::uint8_t>());
  if (parting.stage > Stage::hurry) throw BadBytes("it is at no stage of leaving");
  parting.threads = in.get<std::uint32_t>();
  parting.statistics = read_statistics(in);
  return parting;
}

Settled Settled::read(Reader& in, const fabric::Envelope& envelope) {
  const Settled settled{read_mortal(in, envelope)};
  in.end();
  return settled;
}

void CutOff::write(Writer& out) const {
  out.put(pe);
  out.put_string(why);
}

CutOff CutOff::read(Reader& in, const fabric::Envelope& envelope) {
  CutOff cut{read_mortal(in, envelope), in.get_string()};
  in.end();
  return cut;
}

void Fail::write(Writer& out) const {
  out.put(code);
  out.put_string(why);
}

// Of an exit code the lowest byte is seen.
Fail Fail::read(Reader& in, const fabric::Envelope&) {
  Fail fail;
  fail.code = in.get<int>();
  fail.why = in.get_string();
  in.end();
  if ((fail.code & 0xff) == 0) throw BadBytes("it fails with the exit code of success");
  return fail;
}

}  // namespace trawl::life
