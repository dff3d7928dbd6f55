// All messages, and samples of them: for what is tested of each kind alike.
#pragma once

#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "rts/balance/gauge.hpp"
#include "rts/balance/policy.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/heap/messages.hpp"
#include "rts/life/messages.hpp"
#include "rts/recover/messages.hpp"
#include "rts/sched/messages.hpp"
#include "rts/watch/messages.hpp"

namespace trawl::test {

/// In the order of their kinds.
using Messages =
    std::tuple<balance::Fish, heap::Schedule, heap::Fetch, heap::Resume, heap::Ack, heap::Free,
               sched::WorkAvailable, sched::Found, sched::Write, life::Hello, life::Welcome,
               life::Ping, life::Pong, sched::Probe, sched::State, life::Finish, life::Bye,
               life::Leave, life::View, life::Parting, life::Settled, life::CutOff, life::Fail,
               watch::Look, watch::Pulse, recover::Sent, recover::Due, recover::Held, heap::Collect,
               heap::Relay, balance::Gauge>;

/// Calls `f` with a message of each kind, its fields as they are at first.
template <class F>
void for_each_message(F f) {
  std::apply([&](const auto&... message) { (f(message), ...); }, Messages());
}

template <std::size_t... i>
constexpr bool in_order(std::index_sequence<i...>) {
  return ((std::tuple_element_t<i, Messages>::kind == static_cast<fabric::Kind>(i)) && ...);
}
static_assert(std::tuple_size_v<Messages> == fabric::kinds &&
                  in_order(std::make_index_sequence<fabric::kinds>()),
              "a struct for each row of the table");

/// Fills messages with what might be sent in such an envelope.
class Sampler {
 public:
  Sampler(std::uint64_t seed, const fabric::Envelope& envelope)
      : random_(seed), envelope_(envelope) {}

  template <class Message>
  Message sample() {
    Message message;
    fill(message);
    return message;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint32_t pe() {
    return static_cast<std::uint32_t>(below(static_cast<std::uint64_t>(envelope_.pes)));
  }
  std::uint64_t some() { return 1 + below(1000); }
  Nanos time() { return static_cast<Nanos>(below(1U << 30U)) - (1 << 29); }
  std::string text() { return std::string(below(40), 'x'); }
  /// Neither who sends nor who receives, if there are more.
  std::uint32_t third() {
    int pe = 0;
    while (pe < envelope_.pes - 1 && (pe == envelope_.from || pe == envelope_.to)) ++pe;
    return static_cast<std::uint32_t>(pe);
  }
  heap::Address at(int pe) { return {static_cast<std::uint32_t>(pe), 0, random_()}; }
  life::Introduction facts() {
    return {static_cast<double>(some()) / 8,  static_cast<int>(some()), text(), text(), random_(),
            static_cast<std::int64_t>(some())};
  }

  template <fabric::Kind kind>
  void fill(fabric::Bare<kind>&) {}
  void fill(balance::Fish& fish) {
    fish.thief = static_cast<int>(pe());
    fish.number = static_cast<std::uint16_t>(some());
    fish.ahead = below(2) == 0;
    fish.wants = static_cast<std::uint8_t>(1 + below(255));
    fish.patience = static_cast<Nanos>(some());
    fish.hungry = static_cast<Nanos>(some());
    for (auto visits = below(balance::Fish::max_age + 1); visits > 0; --visits)
      fish.visit(static_cast<int>(pe()));
  }
  void fill(sched::Found& found) {
    found = {{pe(), static_cast<std::uint32_t>(some())}, pe(), random_()};
  }
  void fill(sched::Write& write) {
    write = {{pe(), static_cast<std::uint32_t>(some())}, some(), pe(), 7, 7};
    if (write.object.pe != static_cast<std::uint32_t>(envelope_.to)) return;
    write.place = 0;
    write.writer = static_cast<std::uint32_t>(envelope_.from);
  }
  void fill(heap::Schedule& schedule) {
    schedule = {static_cast<std::uint16_t>(below(3)), below(2) == 0};
  }
  void fill(heap::Fetch& fetch) {
    fetch = {at(envelope_.to), static_cast<std::uint32_t>(envelope_.from), 7, at(envelope_.to),
             below(2) == 0};
  }
  void fill(balance::Gauge& gauge) { gauge = {below(2) == 0, static_cast<std::uint16_t>(some())}; }
  void fill(heap::Relay& relay) { relay = {at(envelope_.from), 7, third(), 8}; }
  void fill(heap::Resume& resume) {
    const bool own = below(2) == 0;
    resume = {at(own ? envelope_.to : envelope_.from), own ? some() : 0, 7};
  }
  void fill(heap::Ack& ack) {
    for (auto count = 1 + below(9); count > 0; --count)
      ack.thunks.push_back({{at(envelope_.to), some()}, {at(envelope_.from), some()}});
  }
  void fill(heap::Free& free) {
    for (auto count = 1 + below(9); count > 0; --count)
      free.weights.emplace_back(random_(), some());
  }
  void fill(life::Hello& hello) { hello.facts = facts(); }
  void fill(life::Welcome& welcome) {
    welcome = {time(), time(), static_cast<Nanos>(some()), pe(), below(2) == 0, {}};
    if (welcome.same_clock) welcome.offset = 0;
    for (int i = 0; i < envelope_.pes; ++i)
      welcome.all.push_back({.step = i == 0 ? 0 : 1,
                             .cores = static_cast<int>(some()),
                             .speed = static_cast<double>(some()) / 8});
  }
  void fill(life::Ping& ping) { ping.sent = time(); }
  void fill(life::Pong& pong) { pong = {time(), time()}; }
  void fill(sched::Probe& probe) { probe = {pe(), below(2) == 0}; }
  void fill(sched::State& state) { state = {pe(), {below(2) == 0, some(), some(), text()}}; }
  void fill(life::Bye& bye) {
    for (auto& count : bye.statistics.values) count = random_();
    bye.statistics.workers.resize(below(4));
    for (auto& times : bye.statistics.workers) times = {random_(), random_(), random_(), random_()};
  }
  void fill(life::View& view) {
    using What = life::View::What;
    for (std::uint32_t pe = 1; pe < static_cast<std::uint32_t>(envelope_.pes); ++pe) {
      const auto end = below(2) == 0 ? What::lost : What::left;
      if (below(2) == 0) {
        view.changes.push_back({pe, What::empty, {}, {}});
        view.changes.push_back({pe, What::joined, {2, 3, 0, 4}, Bytes(below(9))});
      }
      if (end == What::left || below(2) == 0) view.changes.push_back({pe, What::leaves, {}, {}});
      view.changes.push_back({pe, end, {}, {}});
    }
  }
  void fill(life::Parting& parting) {
    parting = {static_cast<life::Parting::Stage>(below(3)), static_cast<std::uint32_t>(below(9)),
               sample<life::Bye>().statistics};
  }
  void fill(life::Settled& settled) { settled.pe = 1; }
  void fill(life::CutOff& cut) { cut = {1, text()}; }
  void fill(watch::Pulse& message) {
    auto& pulse = message.pulse;
    pulse.time = time();
    pulse.sparks_created = random_();
    pulse.idle = some();
    pulse.sparks = pe();
    pulse.workers = static_cast<std::uint16_t>(1 + below(trace::max_workers));
    pulse.busy = static_cast<std::uint16_t>(below(trace::max_workers));
    trace::set_name(pulse.host, text());
  }
  void fill(recover::Sent& sent) {
    sent.view = pe();
    sent.round = round();
    for (auto count = below(4); count > 0; --count) sent.messages.emplace_back(pe(), some());
  }
  void fill(recover::Due& due) { due = {pe(), round(), random_()}; }
  void fill(recover::Held& held) {
    held.view = pe();
    for (auto count = some() % 4 + 1; count > 0; --count)
      held.weights.emplace_back(random_(), some());
  }
  recover::Round round() { return static_cast<recover::Round>(below(2)); }
  void fill(life::Fail& fail) { fail = {static_cast<int>(1 + below(255)), text()}; }

  std::mt19937_64 random_;
  fabric::Envelope envelope_;
};

}  // namespace trawl::test
