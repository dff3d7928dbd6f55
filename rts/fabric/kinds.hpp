// The protocol in one table: what PEs say to each other, a row for each kind of message. What is in
// a message is said by the struct that has its kind, in the room that it is for: rts/balance
// (FISH, in fish.hpp), or rts/heap, rts/sched, rts/life, rts/recover and rts/watch, in
// messages.hpp. All messages are laid out alike:
//
//   | the Fragmenter's 2 | kind 1 | loads (balance::Tables), if the row says so | the struct |
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace trawl::fabric {

/// GUM's six, one more about sparks, two about what all PEs share, and the runtime's own
/// housekeeping.
enum class Kind : std::uint8_t {
  fish,            ///< have you a spark for this PE?
  schedule,        ///< a spark, to be evaluated by the receiver
  fetch,           ///< send me this node
  resume,          ///< here is a node that you wait for
  ack,             ///< the thunks that you moved are here, under these addresses
  free,            ///< weights come home
  work_available,  ///< your FISH was here in vain: now there are sparks
  found,           ///< a number that is less than any before: of branch and bound
  write,           ///< a call that changes a replicated object
  hello,           ///< start-up: who I am
  welcome,         ///< start-up: who all are
  ping,            ///< what does your clock say? Are you there?
  pong,
  probe,    ///< the main PE asks: have you anything to do?
  state,    ///< the answer
  finish,   ///< the program has ended
  bye,      ///< I have stopped; my statistics
  leave,    ///< you may exit
  view,     ///< who is dead, leaves, has left or has come, as the main PE has decided
  parting,  ///< I leave before the end; or: nothing is left of me here
  settled,  ///< nothing of mine is at a PE that leaves any more
  cut_off,  ///< I don't reach a PE, which is not the main one
  fail,     ///< the run can't go on, because
  look,     ///< the main PE asks, as somebody watches the run: how are you?
  pulse,    ///< the answer
  sent,     ///< a census: so many messages I have sent to whom
  due,      ///< ... so many have been sent to you
  held,     ///< ... so much I had of your weights
  collect,  ///< I am short of memory: do you still need what you know of mine?
  relay,    ///< you have got a value of mine: pass it on to this PE
  gauge,    ///< nothing, in so many bytes: how long do they take?
};

inline constexpr std::uint8_t kinds = static_cast<std::uint8_t>(Kind::gauge) + 1;

/// Who sent a message, to whom, and among how many PEs.
struct Envelope {
  int from = 0;
  int to = 0;
  int pes = 1;

  bool has(std::uint32_t pe) const noexcept { return pe < static_cast<std::uint32_t>(pes); }
};

/// Where the run is, for one PE.
enum class Phase : std::uint8_t { joining, running, stopping };

/// What becomes of a message that comes in some phase.
enum class Fate : std::uint8_t {
  take,
  wait,    ///< until the PEs know each other: its sender was faster
  drop,    ///< it has been overtaken by the end
  refuse,  ///< nobody can have a reason to send it: an error
};

/// Who may say it to whom.
enum class Way : std::uint8_t { any, to_main, from_main, with_main };

/// What is about work is neither sent nor kept once the run is over.
enum class Flow : std::uint8_t { work, control };

/// A row has some of these.
enum Trait : std::uint8_t {
  tables = 1,        ///< the sender's freshest loads come first
  may_be_long = 2,   ///< it may come in fragments; all others are shorter than any fabric's limit
  carries_work = 4,  ///< the deadlock detector counts it
  brings_nodes = 8,  ///< it may refer to nodes that another fills: one is read after the other
  brings_work = 16,  ///< somebody here can go on once it has come
  carries_weight = 32,  ///< of slots: the census counts it
};

struct Row {
  Kind kind;
  std::string_view name;
  std::uint8_t traits;
  Flow flow;
  Way way;
  std::array<Fate, 3> fates;  ///< joining, running, stopping

  constexpr bool is(Trait trait) const noexcept { return (traits & trait) != 0; }
  constexpr Fate fate(Phase phase) const noexcept { return fates[static_cast<std::size_t>(phase)]; }
  constexpr bool goes(int from, int to) const noexcept {
    return way == Way::any || (way != Way::from_main && from != 0 && to == 0) ||
           (way != Way::to_main && from == 0 && to != 0);
  }
};

namespace table {

using enum Kind;
using enum Way;
using enum Flow;
using enum Fate;
constexpr std::uint8_t none = 0;
constexpr std::uint8_t request = tables | carries_work;
constexpr std::uint8_t long_list = tables | may_be_long;
constexpr std::uint8_t weights = long_list | carries_weight;
constexpr std::uint8_t membership = may_be_long | brings_nodes;
constexpr std::uint8_t addresses = request | may_be_long | brings_nodes | carries_weight;
constexpr std::uint8_t packet = addresses | brings_work;
constexpr std::uint8_t call = request | may_be_long | brings_work;

// Before PEs know each other, and when they part, loads are of no use. The last row is for what is
// of no kind.
// clang-format off
inline constexpr std::array<Row, kinds + 1> rows{{
    //                                 traits       flow     way         joining running stopping
    {fish,           "FISH",           tables,      work,    any,       {wait,   take,   drop}},
    {schedule,       "SCHEDULE",       packet,      work,    any,       {wait,   take,   drop}},
    {fetch,          "FETCH",          request,     work,    any,       {wait,   take,   drop}},
    {resume,         "RESUME",         packet,      work,    any,       {wait,   take,   drop}},
    {ack,            "ACK",            addresses,   work,    any,       {wait,   take,   drop}},
    {free,           "FREE",           weights,     work,    any,       {wait,   take,   drop}},
    {work_available, "WORK_AVAILABLE", tables,      work,    any,       {wait,   take,   drop}},
    {found,          "FOUND",          tables,      work,    any,       {wait,   take,   drop}},
    {write,          "WRITE",          call,        work,    any,       {wait,   take,   drop}},
    {hello,          "HELLO",          may_be_long, control, to_main,   {take,   take,   drop}},
    {welcome,        "WELCOME",        may_be_long, control, from_main, {take,   refuse, drop}},
    {ping,           "PING",           none,        control, with_main, {take,   take,   take}},
    {pong,           "PONG",           none,        control, with_main, {take,   take,   drop}},
    {probe,          "PROBE",          tables,      control, from_main, {wait,   take,   drop}},
    {state,          "STATE",          long_list,   control, to_main,   {refuse, take,   drop}},
    {finish,         "FINISH",         none,        control, from_main, {wait,   take,   take}},
    {bye,            "BYE",            may_be_long, control, to_main,   {refuse, refuse, take}},
    {leave,          "LEAVE",          none,        control, from_main, {refuse, refuse, take}},
    {view,           "VIEW",           membership,  control, any,       {take,   take,   take}},
    {parting,        "PARTING",        may_be_long, control, any,       {wait,   take,   drop}},
    {settled,        "SETTLED",        none,        control, to_main,   {refuse, take,   drop}},
    {cut_off,        "CUT_OFF",        may_be_long, control, to_main,   {take,   take,   drop}},
    {fail,           "FAIL",           may_be_long, control, with_main, {take,   take,   take}},
    {look,           "LOOK",           none,        control, from_main, {wait,   take,   drop}},
    {pulse,          "PULSE",          may_be_long, control, to_main,   {refuse, take,   drop}},
    {sent,           "SENT",           may_be_long, control, any,       {take,   take,   drop}},
    {due,            "DUE",            none,        control, any,       {take,   take,   drop}},
    {held,           "HELD",           may_be_long, control, any,       {take,   take,   drop}},
    {collect,        "COLLECT",        none,        work,    any,       {drop,   take,   drop}},
    {relay,          "RELAY",          request,     work,    any,       {wait,   take,   drop}},
    {gauge,          "GAUGE",          long_list,   work,    any,       {wait,   take,   drop}},
    {Kind{kinds},    "message",        none,        control, any,       {refuse, refuse, refuse}},
}};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].kind) != i) return false;
  return true;
}
static_assert(in_order(), "a row for each kind, in their order");

}  // namespace table

constexpr const Row& row_of(Kind kind) noexcept {
  return table::rows[static_cast<std::size_t>(kind)];
}

/// Of a message without its prefix; the last row's if it is of no kind.
inline const Row& row_of(std::span<const std::byte> message) noexcept {
  const auto number = message.empty() ? kinds : std::to_integer<std::uint8_t>(message.front());
  return table::rows[std::min(number, kinds)];
}

constexpr std::string_view name_of(Kind kind) {
  return row_of(kind).name;
}

/// Throws BadBytes that says why `row` may not come this way, or now.
[[noreturn]] void refuse(const Row& row, Phase phase, const Envelope& envelope);

}  // namespace trawl::fabric
