#include "rts/life/life.hpp"

#include <algorithm>
#include <new>

namespace trawl::life {
namespace {

constexpr Nanos failure_patience = 1'000'000'000;
constexpr Nanos start_patience = 10'000'000'000;  // over --trawl:silence

}  // namespace

Life::Life(const Introduction& own, Nanos silence, bool recovers, fabric::Fabric& fabric,
           balance::Tables& tables, fabric::Outbox& outbox, Hooks hooks)
    : self_(fabric.self()),
      fabric_(fabric),
      tables_(tables),
      outbox_(outbox),
      hooks_(std::move(hooks)),
      no_memory_{
          1, "PE " + std::to_string(self_) + " has no memory left (--trawl:heap-max)", false, {}},
      recovers_(recovers),
      living_(fabric.size()),
      awake_(fabric.now()),
      alive_(self_, fabric.size(), silence),
      start_(self_, fabric.size(), own, tables, outbox),
      ending_(self_, fabric.size(), outbox) {}

// ---- joining -----------------------------------------------------------------------------------

void Life::begin(Nanos now) {
  start_.begin(now);
  if (self_ == 0) say_who_is_not_there();
  check_joined();
}

// Before anybody begins: so nothing is ever sent there.
void Life::say_who_is_not_there() {
  for (int pe = 1; pe < fabric_.size(); ++pe)
    if (fabric_.is_empty(pe)) {
      decided_.changes.push_back({static_cast<std::uint32_t>(pe), View::What::empty, {}, {}});
      alive_.forget(pe);
    }
  if (!decided_.changes.empty()) broadcast();
}

void Life::on_welcome(const Welcome& message, Nanos now) {
  start_.on_welcome(message, now);
  check_joined();
}

void Life::on_pong(const Pong& message, int from, Nanos now) {
  start_.on_pong(message, from, now);
  check_joined();
  if (self_ != 0 || decided_.gone(from)) return;
  if (start_.greet(from, static_cast<std::uint32_t>(decided_.changes.size() + 1), now))
    decide({static_cast<std::uint32_t>(from), View::What::joined, start_.facts_of(from),
            fabric_.card(from)});
}

// One that comes late and is not alike ends alone.
void Life::on_hello(const Hello& message, int from, Nanos now) {
  const bool late = start_.is_late(from);
  if (const auto unlike = start_.unlike(message.facts); late && !unlike.empty())
    return give_up(from, "it " + unlike);
  start_.on_hello(message, from, now);
}

void Life::check_joined() {
  if (joined_ || !start_.complete() || view() < start_.view()) return;
  joined_ = true;
  if (state() == State::joining) state_ = State::running;
  alive_.begin(awake_.now());
  hooks_.joined();
}

fabric::Phase Life::phase() const noexcept {
  if (stopping()) return fabric::Phase::stopping;
  return joined() ? fabric::Phase::running : fabric::Phase::joining;
}

// ---- who is alive ------------------------------------------------------------------------------

void Life::heard(int from) noexcept {
  alive_.heard(from, awake_.now());
  ending_.heard(from, awake_.now());
}

// Those whose processes can be seen from here; of others their silence tells.
void Life::look_for_the_dead() {
  decide_together([this] {
    while (const auto dead = fabric_.dead()) on_dead(dead->pe, dead->why);
    while (const auto cut = cuts_.next(awake_.now())) give_up(cut->pe, cut->why);
  });
}

void Life::on_dead(int pe, const std::string& why) {
  if (recovers_) return unreachable(pe, why);
  tables_.forget(pe);
  const bool speaks = pe != 0 || self_ == 1;  // for the main PE, whom others see dying too
  if (!stopping()) fail(speaks ? "PE " + std::to_string(pe) + " is lost: " + why : "", 1);
  if (failure_)  // who was to hear of it, or the main PE, who was to say it
    failure_missing_ -= failure_missing_ > 0 && (self_ == 0 || pe == 0) ? 1 : 0;
  else
    ending_.dead(pe);
}

void Life::beat(Nanos now) {
  const auto others = alive_.to_ping(now);
  for (const int pe : others) fabric::send(outbox_, pe, Ping{now});
  if (others.empty()) return;
  decide_together([this] {
    while (const auto lost = alive_.lost(awake_.now() - (joined_ ? 0 : start_patience))) {
      on_silent(*lost);
      if (!decided_.gone(*lost)) break;  // else it would be found again
    }
  });
}

void Life::on_silent(int pe) {
  const std::string why = "nothing has been heard of it for too long (--trawl:silence)";
  if (recovers_) return unreachable(pe, why);
  fail("PE " + std::to_string(pe) + " is lost: " + why, 1);
}

// ---- who is dead -------------------------------------------------------------------------------

// The main PE alone decides; others learn of it by its VIEW.
void Life::unreachable(int pe, const std::string& why) {
  if (self_ == 0) return give_up(pe, why);
  if (pe == 0) return end_alone("the main PE is lost: " + why);
  if (!is_gone(pe)) fabric::send(outbox_, 0, CutOff{static_cast<std::uint32_t>(pe), why});
}

void Life::on_cut_off(const CutOff& message, int from) {
  if (!recovers_) throw BadBytes("this run does not survive deaths");
  const auto pe = static_cast<int>(message.pe);
  if (!decided_.gone(from) && !decided_.gone(pe)) cuts_.add(from, pe, message.why, awake_.now());
}

// All hear of it, the dead one as well: it may be alive, behind a network that was cut.
void Life::give_up(int pe, const std::string& why) {
  if (decided_.gone(pe)) return;
  if (!stopping()) hooks_.gives_up(pe, why);
  decide({static_cast<std::uint32_t>(pe), View::What::lost, {}, {}});
  let_go();
}

void Life::decide(View::Change change) {
  const auto pe = static_cast<int>(change.pe);
  const auto what = change.what;
  decided_.changes.push_back(std::move(change));
  if (what == View::What::lost || what == View::What::left) {
    alive_.forget(pe);
    departures_.gone(pe);
    cuts_.gone(pe);
  }
  if (!decides_more_) broadcast();
}

// Of many deaths at once all are told at once.
template <class Act>
void Life::decide_together(const Act& act) {
  const auto before = decided_.changes.size();
  decides_more_ = true;
  try {
    act();
  } catch (...) {
    decides_more_ = false;
    throw;
  }
  decides_more_ = false;
  if (decided_.changes.size() != before) broadcast();
}

// Also to those who are gone: they may be alive.
void Life::broadcast() {
  for (int pe = 0; pe < fabric_.size(); ++pe)
    if (decided_.last(pe) != View::What::empty || start_.is_late(pe))
      fabric::send(outbox_, pe, decided_);
}

// They can't be sent anything but what they need to introduce themselves.
void Life::look_for_newcomers() {
  if (!recovers_) return;
  if (self_ == 0 && hooks_.keeps_all()) return fabric_.refuse_newcomers();
  while (const auto pe = fabric_.newcomer()) {
    set_standing(*pe, Standing::comes);
    alive_.expect(*pe, awake_.now());
    start_.expect(*pe);
    fabric::send(outbox_, *pe, decided_);  // else it would leave unread what we ask
  }
}

void Life::heard_gone(int from) {
  if (self_ == 0) fabric::send(outbox_, from, decided_);
}

void Life::on_view(const View& message, Nanos now) {
  if (!recovers_) throw BadBytes("this run does not survive deaths");
  for (auto i = told_.changes.size(); i < message.changes.size(); ++i) {
    const auto what = message.changes[i].what;
    const auto pe = static_cast<int>(message.changes[i].pe);
    if (pe == self_ && what == View::What::lost)
      return end_alone(joined_ ? "it was given up by the main PE" : "the run goes on without it");
    told_.changes.push_back(message.changes[i]);
    if (what == View::What::leaves)
      on_leaves(pe);
    else if (what == View::What::joined)
      on_joined(message.changes[i]);
    else
      on_gone(pe, what, now);
  }
  check_joined();
}

void Life::set_standing(int pe, Standing standing) {
  if (standing_.empty()) standing_.resize(static_cast<std::size_t>(fabric_.size()));
  standing_[static_cast<std::size_t>(pe)] = standing;
}

void Life::on_gone(int pe, View::What what, Nanos now) {
  if (pe == self_) {
    if (what == View::What::left && !failure_) begin_failure({0, {}, true, {}}, 0);
    return;
  }
  const bool was_there = standing(pe) == Standing::there;
  if (was_there) --living_;
  set_standing(pe, what == View::What::empty ? Standing::to_come : Standing::gone);
  tables_.forget(pe);
  start_.dead(pe, now);
  if (failure_)
    failure_missing_ -= failure_missing_ > 0 && self_ == 0 ? 1 : 0;
  else
    ending_.dead(pe);
  // Who has come too late was never missed.
  hooks_.gone(pe, !was_there && what == View::What::left ? View::What::empty : what);
}

void Life::on_joined(const View::Change& change) {
  const auto pe = static_cast<int>(change.pe);
  if (pe == self_) return void(came_late_ = true);
  ++living_;
  set_standing(pe, Standing::there);
  tables_.take_in(pe, change.facts);
  fabric_.admit(pe, change.card);
  if (stopping()) return;
  ending_.joined(pe);
  departures_.joined(pe);
  hooks_.has_come(pe);
}

// Nobody waits for this PE, and whatever it has is made again: it ends, and tells nobody.
void Life::end_alone(const std::string& why) {
  if (failure_) return;
  begin_failure({1, "PE " + std::to_string(self_) + " ends: " + why, true, {}}, 0);
}

// ---- leaving -----------------------------------------------------------------------------------

void Life::part(Parting::Stage stage, std::uint32_t threads) {
  const bool goes = stage == Parting::Stage::empty || stage == Parting::Stage::hurry;
  fabric::send(outbox_, 0, Parting{stage, threads, goes ? hooks_.statistics() : Statistics()});
}

void Life::say_done() {
  for (int pe = 0; pe < fabric_.size(); ++pe)
    if (pe != self_ && !is_gone(pe)) say_done(pe);
}

void Life::say_done(int pe) {
  fabric::send(outbox_, pe, Parting{Parting::Stage::done, 0, {}});
}

void Life::on_parting(const Parting& message, int from) {
  if (!recovers_ || from == 0) throw BadBytes("in this run nobody leaves before its end");
  if (message.stage == Parting::Stage::done) return hooks_.is_done(from);
  if (self_ != 0) throw BadBytes("it is for the main PE");
  if (decided_.gone(from)) return;
  send_away(from);
  if (message.stage == Parting::Stage::begins) return;
  ending_.note_statistics(from, message.statistics);
  departures_.may_go(from, message.stage == Parting::Stage::hurry, message.threads);
  let_go();
}

bool Life::send_away(int pe) {
  if (!recovers_ || pe <= 0 || pe >= fabric_.size() || is_gone(pe)) return false;
  if (departures_.begun(pe)) return true;
  std::vector<int> others;
  for (int other = 0; other < fabric_.size(); ++other)
    if (other != pe && !is_gone(other) && !decided_.gone(other)) others.push_back(other);
  departures_.begin(pe, std::move(others));
  decide({static_cast<std::uint32_t>(pe), View::What::leaves, {}, {}});
  return true;
}

// From now on nothing new is sent there. It goes on itself, as before, but for what it takes.
void Life::on_leaves(int pe) {
  if (pe != self_) tables_.forget(pe);
  hooks_.leaves(pe);
}

void Life::say_settled(int pe) {
  const Settled message{static_cast<std::uint32_t>(pe)};
  if (self_ != 0) return fabric::send(outbox_, 0, message);
  on_settled(message, self_);
}

void Life::on_settled(const Settled& message, int from) {
  departures_.settled(from, static_cast<int>(message.pe));
  let_go();
}

void Life::let_go() {
  while (const auto* departure = departures_.next()) {
    if (hooks_.keeps_all()) return;  // then it stays to the end
    const int pe = departure->pe;
    hooks_.lets_go(pe, departure->threads);
    decide({static_cast<std::uint32_t>(pe), View::What::left, {}, {}});
  }
}

// ---- stopping ----------------------------------------------------------------------------------

void Life::stop(State state) {
  state_ = state;
  hooks_.stopped();
}

// Who is about to join comes too late, and has nothing to give back.
void Life::finish(int code) {
  for (int pe = 1; pe < fabric_.size(); ++pe)
    if (start_.is_late(pe) && !decided_.gone(pe))
      decide({static_cast<std::uint32_t>(pe), View::What::left, {}, {}});
  ending_.finish(code, awake_.now(), hooks_.statistics(), round_trip());
  if (!failure_) stop(State::stopping);
}

void Life::on_finish() {
  ending_.on_finish(awake_.now(), hooks_.statistics(), round_trip());
  if (!failure_) stop(State::stopping);
}

void Life::on_bye(const Bye& message, int from) {
  if (!failure_) return ending_.on_bye(message, from);
  failure_missing_ -= failure_missing_ > 0 ? 1 : 0;
}

// As it was at the start, or is now; that may be long because somebody was late once.
Nanos Life::round_trip() const {
  constexpr Nanos most = 500'000'000;
  Nanos one_way = 0;
  for (int pe = 0; pe < (self_ == 0 ? fabric_.size() : 1); ++pe)
    one_way = std::max(one_way, tables_.latency_to(pe).one_way);
  return std::max(start_.round_trip(), std::min(2 * one_way, most));
}

void Life::look_for_the_end(bool flushed) {
  std::optional<Outcome> outcome;
  if (failure_) {
    if ((failure_missing_ == 0 && flushed) || awake_.now() >= failure_deadline_) outcome = failure_;
  } else {
    outcome = ending_.over(awake_.now(), flushed);
  }
  if (!outcome) return;
  while (outcome->statistics.size() > 1 &&
         decided_.last(static_cast<int>(outcome->statistics.size()) - 1) == View::What::empty)
    outcome->statistics.pop_back();  // nobody has ever come there
  hooks_.over(*outcome);
  state_ = State::over;
}

// ---- failing -----------------------------------------------------------------------------------

void Life::fail_without_memory() noexcept {
  fail(no_memory_.error, 1);
}

// One PE speaks for all: the main PE says why and passes it on, and leaves when all others have
// heard it. They only speak themselves when it does not.
void Life::fail(std::string_view why, int code) noexcept {
  if (failure_) return;
  auto outcome = std::move(no_memory_);
  try {
    outcome.error = why;
    outcome.code = code;
  } catch (const std::bad_alloc&) {  // then it says that
  }
  begin_failure(std::move(outcome), self_ == 0 ? living_ - 1 : 1);
  const int first = self_ == 0 ? 1 : 0;
  const int last = self_ == 0 ? fabric_.size() : 1;
  for (int pe = first; pe < last; ++pe) tell_of_failure(pe);
}

void Life::fail_or_find_dead(std::string_view why, int code) noexcept {
  try {
    look_for_the_dead();
    fail(why, code);
  } catch (const std::bad_alloc&) {
    fail_without_memory();
  }
}

// Twice: what there was no memory for the first time may have freed some. Who is not told finds out
// by our silence.
void Life::tell_of_failure(int pe) noexcept {
  for (int tries = 0; tries < 2; ++tries) {
    try {
      return fabric::send(outbox_, pe, Fail{failure_->code, failure_->error});
    } catch (const std::bad_alloc&) {
    }
  }
}

void Life::on_fail(const Fail& message) {
  if (self_ == 0) return fail(message.why, message.code);
  begin_failure(Outcome{message.code, {}, false, {}}, 0);
  fabric::send(outbox_, 0, Bye());
}

void Life::begin_failure(Outcome outcome, int missing) {
  failure_ = std::move(outcome);
  failure_missing_ = missing;
  failure_deadline_ = awake_.now() + failure_patience;
  stop(State::failed);
}

}  // namespace trawl::life
