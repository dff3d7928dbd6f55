#include "rts/sched/deadlock_detector.hpp"

#include <algorithm>
#include <utility>

#include "rts/heap/code.hpp"

namespace trawl::sched {
namespace {

constexpr Nanos between_rounds = 50'000'000;
constexpr Nanos before_giving_up = 10;  // of the silence, a part

const char* describe(heap::State state) {
  switch (state) {
    case heap::State::black_hole:
      return "under evaluation here";
    case heap::State::fetch_me:
    case heap::State::fetching:
      return "on another PE, fetched";
    case heap::State::exported:
      return "sent to another PE";
    default:
      return "about to be known";
  }
}

std::string name_of(const heap::Code& code) {
  if (code.name.find("R = trawl::sched::{anonymous}::NextWrite;") == std::string_view::npos)
    return heap::short_name(code);
  return "the next write to a Shared";
}

}  // namespace

DeadlockDetector::DeadlockDetector(int self, int pes, Workers& workers, fabric::Outbox& outbox,
                                   Nanos silence)
    : self_(self),
      workers_(workers),
      outbox_(outbox),
      silence_(silence),
      states_(self == 0 ? static_cast<std::size_t>(pes) : 0) {}

std::string DeadlockDetector::look(Nanos now, const Worker* by) {
  if (now < next_round_) return {};
  next_round_ = now + between_rounds;
  if (asking_ && answers_ < states_.size()) return {};
  if (!workers_.at_rest(by)) {
    asking_ = false;
    before_.clear();
    return {};
  }
  auto verdict = asking_ ? judge(now) : std::string();
  if (verdict.empty()) begin_round(by);
  return verdict;
}

void DeadlockDetector::begin_round(const Worker* by) {
  asking_ = true;
  ++round_;
  std::fill(states_.begin(), states_.end(), std::nullopt);
  const bool give_up = std::exchange(give_up_, false);
  states_[static_cast<std::size_t>(self_)] = rest(by, give_up);
  answers_ = 1;
  for (const int pe : missing_) note_missing(pe);
  for (int pe = 0; pe < static_cast<int>(states_.size()); ++pe) {
    if (pe != self_) fabric::send(outbox_, pe, Probe{round_, give_up});
  }
}

std::string DeadlockDetector::judge(Nanos now) {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool at_rest = true;
  for (const auto& state : states_) {
    at_rest = at_rest && state->at_rest;
    sent += state->sent;
    received += state->received;
  }
  if (!at_rest || states_ != before_) {
    before_ = states_;
    unchanged_since_ = now;
    given_up_ = false;
    return {};
  }
  const auto waiting = report();
  if (waiting.empty()) return {};  // the program has not begun, or is over
  if (sent == received && !any_died_) return "blocked for ever, nobody can go on:\n" + waiting;
  if (any_died_ && !given_up_ && now - unchanged_since_ >= silence_ / before_giving_up)
    give_up_ = given_up_ = true;
  if (now - unchanged_since_ < patience_with_lost(silence_)) return {};
  if (any_died_) return "blocked for ever after a PE was lost, or left:\n" + waiting;
  return "blocked for ever, " + std::to_string(sent - received) +
         " messages have been lost on the way:\n" + waiting;
}

std::string DeadlockDetector::report() const {
  std::string text;
  for (const auto& state : states_) text += state->report;
  return text;
}

void DeadlockDetector::dead(int pe) {
  any_died_ = true;
  empty(pe);
}

void DeadlockDetector::empty(int pe) {
  missing_.push_back(pe);
  before_.clear();
  if (asking_) note_missing(pe);
}

// The round that is under way does not ask it.
void DeadlockDetector::joined(int pe) {
  std::erase(missing_, pe);
  asking_ = false;
  before_.clear();
}

void DeadlockDetector::note_missing(int pe) {
  auto& state = states_[static_cast<std::size_t>(pe)];
  if (!state) ++answers_;
  state = Rest{true, 0, 0, {}};
}

void DeadlockDetector::on_probe(const Probe& message, const Worker* by) {
  fabric::send(outbox_, 0, State{message.round, rest(by, message.give_up)});
}

void DeadlockDetector::on_state(State message, int from) {
  if (!asking_ || message.round != round_) return;
  auto& state = states_[static_cast<std::size_t>(from)];
  if (state) throw BadBytes("it answers a probe twice");
  state = std::move(message.rest);
  ++answers_;
}

Rest DeadlockDetector::rest(const Worker* by, bool give_up) {
  auto state = own_state(by);
  if (state.at_rest) workers_.host().shared_heap().remake_otherwise(give_up);
  return state;
}

Rest DeadlockDetector::own_state(const Worker* by) const {
  // A long message may be under way for longer than one is given up for lost; and what waits for a
  // connection that does not come about is not lost, but its PE will be.
  const bool at_rest = workers_.at_rest(by) && !workers_.state().under_way && outbox_.flushed();
  Rest state{at_rest, sent_, received_, {}};
  if (!state.at_rest) return state;
  const std::string here = "  PE " + std::to_string(self_) + ": ";
  for (const Thread* thread : workers_.blocked()) {
    const auto* spark = thread->spark();
    const auto* node = thread->waiting_for();
    state.report += here +
                    (spark == nullptr ? "the program's root" : heap::short_name(spark->code())) +
                    " waits for " + name_of(node->code()) + ", " + describe(node->state()) + "\n";
  }
  workers_.host().shared_heap().for_each_queue(
      [&](heap::Node* node, std::size_t, const std::vector<std::uint32_t>& pes) {
        for (const auto pe : pes)
          state.report += here + "PE " + std::to_string(pe) + " waits for " +
                          name_of(node->code()) + ", " + describe(node->state()) + "\n";
      });
  return state;
}

}  // namespace trawl::sched
