#include "profiles/report/path.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/message_name.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::profile {
namespace {

using trace::Kind;

constexpr Nanos soon = 50'000;  // between a thread's end and what comes of it

}  // namespace

void PathFinder::see(int pe, const trace::Event& event) {
  switch (event.kind) {
    case Kind::message_received:
      last_received_ = message_name(pe, event);
      value_ = {};
      break;
    case Kind::resume_received:
      value_ = {last_received_, static_cast<int>(event.value)};
      break;
    case Kind::message_sent:
      send(pe, event);
      break;
    case Kind::thread_resume:
    case Kind::load:
    case Kind::spark_site:
    case Kind::spark_made:
      break;
    default:
      value_ = {};
  }
}

void PathFinder::send(int pe, const trace::Event& event) {
  const bool value = event.extra == static_cast<std::uint16_t>(fabric::Kind::resume);
  const bool spark = event.extra == static_cast<std::uint16_t>(fabric::Kind::schedule);
  if ((!value && !spark) || event.time < from_ || event.time > to_ || slices_ > most_slices) return;
  sent_.push_back({message_name(pe, event), event.time, value ? value_ : Passed{}});
}

void PathFinder::see(int pe, const Slice& slice) {
  if (slice.end < from_ || slice.begin > to_ || ++slices_ > most_slices) return;
  const bool from_here = slice.cause == Cause::woken_here || slice.cause == Cause::own_spark;
  lanes_[pe][slice.worker].push_back({std::max(slice.begin, from_), std::min(slice.end, to_),
                                      slice.ready, slice.message, slice.thread, slice.code,
                                      from_here ? slice.source.thread : slice.pe, slice.cause});
  if (slice.made != 0) making_[{pe, slice.thread}].emplace_back(slice.begin, slice.end);
}

/// Goes back in time.
class Walk {
 public:
  Walk(PathFinder& finder, const Births& births)
      : finder_(finder), births_(births), time_(finder.to_) {}

  Path go() {
    auto place = last();
    if (!place) return {};
    path_.known = true;
    step(at(*place).end, Step::end, *place);
    // Each round goes back in time, or to another slice at the same time: more rounds than slices
    // would be a circle.
    for (std::size_t round = 0; place && round <= 2 * finder_.slices_; ++round)
      place = back(*place);
    if (time_ > finder_.from_) step(finder_.from_, Step::start, {0, 0, 0});
    std::reverse(path_.segments.begin(), path_.segments.end());
    return std::move(path_);
  }

 private:
  using Position = PathFinder::Position;
  using Kept = PathFinder::Kept;

  const Kept& at(const Position& place) const {
    return finder_.lanes_.at(place.pe).at(place.worker)[place.at];
  }

  /// The root's last slice, or the last one that there is.
  std::optional<Position> last() const {
    std::optional<Position> found;
    const auto rank = [this](const Position& place) {
      return std::pair(at(place).code == root_code, at(place).end);
    };
    for (const auto& [pe, lanes] : finder_.lanes_)
      for (const auto& [worker, lane] : lanes)
        for (std::size_t i = 0; i < lane.size(); ++i)
          if (const Position place{pe, worker, i}; !found || rank(place) >= rank(*found))
            found = place;
    return found;
  }

  /// What lies between `to` and where we are.
  void step(Nanos to, Step what, const Position& place, std::uint32_t code = unknown,
            int from = -1) {
    to = std::clamp(to, finder_.from_, time_);
    if (to == time_) return;
    const auto length = static_cast<double>(time_ - to);
    path_.time[static_cast<std::size_t>(what)] += length;
    if (what == Step::run) path_.by_function[code] += length;
    auto& all = path_.segments;
    if (!all.empty() && all.back().step == what && all.back().pe == place.pe &&
        all.back().code == code && all.back().begin == time_ && what == Step::run)
      all.back().begin = to;
    else
      all.push_back({to, time_, what, place.pe, code, from});
    time_ = to;
  }

  std::optional<Position> back(const Position& place) {
    const auto slice = at(place);
    const auto until = time_;
    step(slice.begin, Step::run, place, slice.code);
    path_.held += static_cast<double>(std::max<Nanos>(0, until - std::max(time_, needless_since_)));
    if (time_ <= finder_.from_ || slice.cause == Cause::root) return std::nullopt;
    if (slice.cause == Cause::woken_here) {
      step(slice.ready, Step::queue, place, slice.code);
      if (const auto waker = running(place.pe, time_, slice.other)) {
        ++path_.wakes;
        return waker;
      }
    }
    const bool came = slice.cause == Cause::resume || slice.cause == Cause::imported;
    const bool was_busy = slice.cause == Cause::imported && place.at > 0 &&
                          at({place.pe, place.worker, place.at - 1}).end > slice.ready;
    if (came && !was_busy) {
      step(slice.ready, Step::queue, place, slice.code);
      if (const auto sender = over(place, slice)) return sender;
    }
    return before(place);
  }

  /// To who sent what has come, or had it sent by others.
  std::optional<Position> over(const Position& place, const Kept& slice) {
    auto here = place;
    PathFinder::Passed came{slice.message, static_cast<int>(slice.other)};
    std::optional<Position> sender;
    while (const auto* sent = find(came.message)) {
      step(sent->time, Step::travel, here, slice.code, came.from);
      ++path_.hops;
      here = {came.from, 0, 0};
      sender = latest(came.from, sent->time);
      came = sent->passed;
    }
    if (!sender) return sender;
    step(at(*sender).end, Step::none, *sender);
    if (slice.cause == Cause::imported) needs_only(slice, *sender);
    return sender;
  }

  /// If it is a spark's first slice, that waited for a worker: what ran from when the maker had
  /// made it, at the latest, until now was not needed for it. Of an unknown maker, what `kept` it.
  void needs_only(const Kept& slice, const Position& kept) {
    const bool own = slice.cause == Cause::own_spark;
    if (!own && slice.cause != Cause::imported) return;
    if (time_ > needless_since_) return;  // nor is it itself
    needless_since_ = std::min(time_, at(kept).begin);
    const auto maker = own ? slice.other : births_.of(slice.message).thread;
    const auto found = finder_.making_.find({own ? kept.pe : static_cast<int>(slice.other), maker});
    if (found == finder_.making_.end()) return;
    const auto& making = found->second;
    const auto later = std::lower_bound(making.begin(), making.end(), std::pair(time_, Nanos{0}));
    if (later != making.begin()) needless_since_ = std::min(time_, std::prev(later)->second);
  }

  /// Where it was sent, if that is known and not later than we are.
  const PathFinder::Sent* find(std::uint64_t message) const {
    if (message == 0) return nullptr;
    const auto sent = std::lower_bound(
        finder_.sent_.begin(), finder_.sent_.end(), message,
        [](const PathFinder::Sent& one, std::uint64_t name) { return one.message < name; });
    const bool known = sent != finder_.sent_.end() && sent->message == message;
    return known && sent->time < time_ ? &*sent : nullptr;
  }

  /// To what kept its worker from it; else to who made its spark, if he runs; else to who runs
  /// beside.
  std::optional<Position> before(const Position& place) {
    const auto same =
        place.at > 0 ? std::optional(Position{place.pe, place.worker, place.at - 1}) : std::nullopt;
    if (same && time_ - at(*same).end < soon) {
      const auto until = time_;
      step(at(*same).end, Step::queue, place, at(place).code);
      path_.between += static_cast<double>(until - time_);
      needs_only(at(place), *same);
      return same;
    }
    auto other = is_own(place) ? running(place.pe, time_, at(place).other) : std::nullopt;
    if (!other) other = latest(place.pe, time_, place);
    if (!other) return std::nullopt;
    step(at(*other).end, Step::none, place);
    return other;
  }

  /// The slice of a PE that was running at `time`, and began before; else the last one before.
  std::optional<Position> latest(int pe, Nanos time,
                                 std::optional<Position> but = std::nullopt) const {
    const auto lanes = finder_.lanes_.find(pe);
    if (lanes == finder_.lanes_.end()) return std::nullopt;
    std::optional<Position> found;
    for (const auto& [worker, lane] : lanes->second) {
      auto next = std::lower_bound(lane.begin(), lane.end(), time,
                                   [](const Kept& slice, Nanos t) { return slice.begin < t; });
      if (next == lane.begin()) continue;
      const Position place{pe, worker, static_cast<std::size_t>(next - lane.begin()) - 1};
      if (but && but->worker == worker && but->at <= place.at) continue;
      if (!found || std::min(at(place).end, time) > std::min(at(*found).end, time)) found = place;
    }
    return found;
  }

  /// The slice of a thread that ran at `time`, or ended just before or after.
  std::optional<Position> running(int pe, Nanos time, std::uint32_t thread) const {
    if (thread == unknown) return std::nullopt;
    for (const auto& [worker, lane] : finder_.lanes_.at(pe)) {
      auto next = std::lower_bound(lane.begin(), lane.end(), time,
                                   [](const Kept& slice, Nanos t) { return slice.begin < t; });
      if (next == lane.begin()) continue;
      --next;
      if (next->thread == thread && next->end + soon >= time)
        return Position{pe, worker, static_cast<std::size_t>(next - lane.begin())};
    }
    return std::nullopt;
  }

  bool is_own(const Position& place) const { return at(place).cause == Cause::own_spark; }

  PathFinder& finder_;
  const Births& births_;
  Nanos time_;
  Nanos needless_since_ = trace::max_time;  // of what is between that and here nothing was needed
  Path path_;
};

Path PathFinder::find(const Births& births) {
  if (slices_ > most_slices) return {};
  std::sort(sent_.begin(), sent_.end(),
            [](const Sent& a, const Sent& b) { return a.message < b.message; });
  return Walk(*this, births).go();
}

}  // namespace trawl::profile
