// Our own FISH: when one is sent, where, and what becomes of it. Those of others: feeding.cpp.
#include "rts/sched/fishing.hpp"

#include <algorithm>
#include <cmath>

#include "rts/trace/note.hpp"

namespace trawl::sched {
namespace {

constexpr unsigned most_under_way = 1024;  // whatever the policy wants
constexpr int most_in_a_turn = 8;

}  // namespace

Fishing::Fishing(const Options& options, std::uint64_t seed, balance::Tables& tables,
                 Workers& workers, fabric::Outbox& outbox, Counters& counters)
    : tables_(tables),
      workers_(workers),
      outbox_(outbox),
      counters_(counters),
      policy_(balance::make_policy(options.policy)),
      means_(policy_->means()),
      random_(seed),
      backs_up_(means_.backs_up && options.backup != "off"),
      backups_(tables, [&workers](const heap::Code& code) { return workers.splits(code); }),
      low_watermark_(options.low_watermark),
      max_fish_(options.max_fish),
      near_{balance::Backoff(static_cast<Nanos>(options.fish_delay * 1000),
                             static_cast<Nanos>(options.fish_delay_max * 1000))},
      far_(near_) {
  if (means_.waits_for_data) workers.heed_crowds([this] { return binds_what_waits(); });
}

// It is left to others where all are near, and as strong as this one on average. A strong PE's
// would go to weaker ones; over links, what is left here is sent to and fro.
bool Fishing::binds_what_waits() const {
  constexpr double alike = 0.1;
  const auto share = tables_.strength_now(tables_.self()) / tables_.mean_strength_now();
  return tables_.has_clusters() || std::abs(share - 1) > alike;
}

// Beside a FISH that an invitation has sent, another may go.
bool Fishing::may_fish() const noexcept {
  if (full_ || workers_.leaving()) return false;
  const auto most = max_fish_ == 0 && tables_.has_clusters() ? most_under_way : most_near();
  return under_way_.size() < most + (invited_ ? 1U : 0U);
}

// What is asked for ahead, or for those near by, comes to one PE of the cluster: nobody else needs
// to know how long its work will do, and who waits.
bool Fishing::looks_ahead() const noexcept {
  return means_.looks_ahead && tables_.has_clusters() &&
         tables_.representative(tables_.own_cluster()) == tables_.self();
}

// Said again and again: so what is counted is right at any time.
void Fishing::set_full(bool full, Nanos now) noexcept {
  if (full_) counters_.add(Count::full_time, static_cast<std::uint64_t>(now - full_since_));
  full_ = full;
  full_since_ = now;
}

// Its answer is welcome whenever it comes. (A far one's policy finds out by itself.)
void Fishing::write_off_overdue(Nanos now) {
  std::erase_if(under_way_, [&](const balance::Cast& cast) {
    if (now < cast.back_by) {
      if (cast.back_by != never) ask_again(cast.back_by);
      return false;
    }
    written_off_.push_back(cast.number);
    return true;
  });
}

void Fishing::consider(Nanos now) {
  again_ = never;
  write_off_overdue(now);
  fish(now);
  back_up_here(now);
}

void Fishing::fish(Nanos now) {
  for (int turns = 0; turns < most_in_a_turn && may_fish(); ++turns) {
    if (!workers_.may_start_thread() && !fishes_for_others()) return;
    const auto load = workers_.load();
    const bool is_hungry = hungry(load);
    if (!is_hungry && !fishes_for_others()) hungry_since_ = never;
    if (!is_hungry && !looks_ahead()) return;
    const auto pe = situation(load, is_hungry, now);
    const auto decision = policy_->next(tables_, pe, random_());
    if (decision.victim < 0) {
      return ask_again(decision.again);
    }
    if (decision.gauges) gauge(decision.victim, false);
    fish_at(decision.victim, !pe.idle && pe.waiting == 0, now);
  }
}

// The short one tells what the long one takes longer. Along one link, they keep their order.
void Fishing::gauge(int pe, bool answers) {
  fabric::send(outbox_, pe, balance::Gauge{.answers = answers});
  fabric::send(outbox_, pe, balance::Gauge{answers, balance::Gauge::enough});
}

// How long it took has been noted: with the answer it is told.
void Fishing::on_gauge(const balance::Gauge& message, int from) {
  if (message.bytes != 0 && !message.answers && !tables_.lost(from)) gauge(from, true);
}

void Fishing::ask_again(Nanos when) {
  again_ = std::min(again_, when);
  auto& due = workers_.state().due;
  if (again_ < due.load(std::memory_order_relaxed)) due.store(again_, std::memory_order_relaxed);
}

balance::Situation Fishing::situation(const balance::Load& load, bool is_hungry, Nanos now) const {
  balance::Situation pe;
  pe.now = now;
  pe.idle = is_idle(load);
  pe.hungry = is_hungry;
  if (looks_ahead()) {
    pe.rest = pe.idle ? 0 : rest(load);
    pe.waiting = waiting();
    pe.between_threads = threads_begun() <= workers_.live_threads()  // none has ended
                             ? never
                             : mean_thread() / static_cast<Nanos>(workers_.size());
  }
  pe.most_near = most_near() + (invited_ ? 1U : 0U);
  pe.near_after = near_.until;
  pe.far_after = far_.until;
  pe.under_way = under_way_;
  return pe;
}

// At its thread limit, too.
bool Fishing::fishes_for_others() const {
  return looks_ahead() && waiting() > 0;
}

bool Fishing::is_idle(const balance::Load& load) const {
  return load.sparks == 0 && load.runnable < workers_.size();
}

// Idle, or about to be.
bool Fishing::hungry(const balance::Load& load) const {
  if (!workers_.may_start_thread()) return false;
  if (is_idle(load)) return true;
  return load.sparks < low_watermark();
}

unsigned Fishing::low_watermark() const {
  return low_watermark_ == 0 ? 0 : policy_->low_watermark(tables_, low_watermark_);
}

// As if each spark were worth what threads have been so far. Divide and conquer has larger ones:
// there it runs out of sparks first.
Nanos Fishing::rest(const balance::Load& load) const {
  return load.sparks * mean_thread() / static_cast<Nanos>(workers_.size());
}

std::uint64_t Fishing::threads_begun() const {
  std::uint64_t threads = 0;
  for (const auto& worker : workers_.all()) threads += worker->counters[Count::threads_created];
  return threads;
}

Nanos Fishing::mean_thread() const {
  return workers_.busy_time() / static_cast<Nanos>(threads_begun() + 1);
}

// Whoever has found something meanwhile is no longer counted as soon as that is heard.
unsigned Fishing::waiting() const {
  const auto told = std::count_if(turned_away_.begin(), turned_away_.end(), [this](int thief) {
    const auto& load = tables_.load_of(thief);
    return load.sparks == 0 && load.runnable == 0 && !tables_.lost(thief);
  });
  return static_cast<unsigned>(held_.size() + static_cast<std::size_t>(told));
}

// In a large cluster one PE holds the FISH of all that are idle: it would do nothing else than send
// them home.
Nanos Fishing::patience() {
  constexpr std::size_t few = 64;
  const auto pes = tables_.members(tables_.own_cluster()).size();
  const auto times = static_cast<Nanos>(std::max<std::size_t>(pes / few, 1));
  return std::min(near_.backoff.next(random_()), balance::Fish::longest_patience / times) * times;
}

// So much that only PEs which stand still make it longer: they may be many to a core.
Nanos Fishing::time_for_its_way(int victim) const {
  constexpr Nanos at_least = 1'000'000'000;
  constexpr Nanos visits = 2 * (balance::Fish::max_age + 1);
  return at_least + visits * tables_.latency_to(victim).one_way;
}

void Fishing::fish_at(int victim, bool ahead, Nanos now) {
  const auto is_taken = [this](std::uint16_t number) {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [number](const auto& cast) { return cast.number == number; }) ||
           std::find(written_off_.begin(), written_off_.end(), number) != written_off_.end();
  };
  do {
    ++last_number_;
  } while (last_number_ == 0 || is_taken(last_number_));
  const bool far = tables_.is_far(victim);
  under_way_.push_back({last_number_, victim, tables_.cluster_of(victim), far, now, ahead});
  trace::note<Count::fish_sent>(counters_, workers_.log(), 0, static_cast<std::uint32_t>(victim),
                                last_number_, tables_.load_of(victim).sparks);
  balance::Fish fish;
  fish.thief = tables_.self();
  fish.number = last_number_;
  fish.ahead = ahead;
  fish.wants = static_cast<std::uint8_t>(std::clamp(workers_.without_work(), 1U, 255U));
  if (means_.holds_fish && !far) {
    fish.patience = patience();
    // Where there are other clusters it may be sent on to one, over whatever link.
    if (tables_.far().empty())
      under_way_.back().back_by = now + time_for_its_way(victim) + 2 * fish.patience;
  }
  hungry_since_ = std::min(hungry_since_, now);
  fish.hungry = hungry_for(now);
  fabric::send(outbox_, victim, fish);
}

// Nothing: it was written off.
std::optional<balance::Cast> Fishing::resolve(std::uint16_t number, bool brought_work, Nanos now) {
  const auto found = std::find_if(under_way_.begin(), under_way_.end(),
                                  [number](const auto& cast) { return cast.number == number; });
  if (found == under_way_.end() && std::erase(written_off_, number) != 0) return std::nullopt;
  if (found == under_way_.end())
    throw BadBytes(brought_work ? "it answers a fish that was not sent"
                                : "it brings home a fish that was not sent");
  const auto cast = *found;
  under_way_.erase(found);
  if (cast.far) tables_.note_steal(cast.cluster, now - cast.sent, now, brought_work);
  return cast;
}

void Fishing::came_home(std::uint16_t number, Nanos now) {
  const auto cast = resolve(number, false, now);
  if (!cast) return;
  invited_ = false;
  trace::note<Count::fish_home_empty>(counters_, workers_.log(), 0, 0, number);
  if (means_.holds_fish && !cast->far && !cast->ahead) return;  // it has waited where it was
  auto& pause = cast->far ? far_ : near_;
  pause.until = now + (means_.at_once ? pause.backoff.shortest() : pause.backoff.next(random_()));
}

void Fishing::caught(std::uint16_t number, Nanos now) {
  hungry_since_ = never;
  const auto cast = resolve(number, true, now);
  if (!cast) return;
  if (under_way_.size() < most_near()) invited_ = false;
  auto& pause = cast->far ? far_ : near_;
  pause.backoff.reset();
  pause.until = 0;
}

void Fishing::gone(int pe, Nanos now) {
  workers_.heed_crowds({});  // a value that was on its way may be made again of what lies here
  for (const auto& cast : under_way_) written_off_.push_back(cast.number);
  under_way_.clear();
  invited_ = false;
  std::erase_if(held_, [pe](const Held& each) { return each.fish.thief == pe; });
  std::erase(turned_away_, pe);
  note_next_return();
  near_.until = far_.until = now;
}

void Fishing::begin_to_leave(Nanos now) {
  for (Held& each : held_) each.until = now;
  next_return_ = now;
  return_held(now);
}

// The FISH under way may be held where there is nothing: until one comes home, another may go, if
// nobody has said how many there may be.
void Fishing::on_work_available(int from, Nanos now) {
  if (tables_.is_far(from)) throw BadBytes("it is for PEs of its cluster");
  const auto near = std::count_if(under_way_.begin(), under_way_.end(),
                                  [](const auto& cast) { return !cast.far; });
  if (near > 1 && max_fish_ == 0) return;
  const auto load = workers_.load();
  if (full_ || !hungry(load)) return;
  near_.backoff.reset();
  if (max_fish_ == 0)
    invited_ = near == 1;
  else if (!may_fish())
    return;  // once one is home
  fish_at(from, !is_idle(load), now);
}

}  // namespace trawl::sched
