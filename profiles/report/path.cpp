#include "profiles/report/path.hpp"

#include <algorithm>
#include <optional>

#include "profiles/message_name.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::profile {
namespace {

using trace::Kind;

constexpr Nanos soon = 50'000;  // between a thread's end and what comes of it

}  // namespace

void PathFinder::see(int pe, const trace::Event& event) {
  if (event.kind != Kind::message_sent || slices_ > most_slices) return;
  const bool carries = event.extra == static_cast<std::uint16_t>(fabric::Kind::schedule) ||
                       event.extra == static_cast<std::uint16_t>(fabric::Kind::resume);
  if (carries && event.time >= from_ && event.time <= to_)
    sent_.emplace_back(message_name(pe, event), event.time);
}

void PathFinder::see(int pe, const Slice& slice) {
  if (slice.end < from_ || slice.begin > to_ || ++slices_ > most_slices) return;
  lanes_[pe][slice.worker].push_back({std::max(slice.begin, from_), std::min(slice.end, to_),
                                      slice.ready, slice.message, slice.thread, slice.code,
                                      slice.other, slice.cause});
}

/// Goes back in time.
class Walk {
 public:
  explicit Walk(PathFinder& finder) : finder_(finder), time_(finder.to_) {}

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
  using Place = PathFinder::Place;
  using Kept = PathFinder::Kept;

  const Kept& at(const Place& place) const {
    return finder_.lanes_.at(place.pe).at(place.worker)[place.at];
  }

  /// The root's last slice, or the last one that there is.
  std::optional<Place> last() const {
    std::optional<Place> found;
    const auto rank = [this](const Place& place) {
      return std::pair(at(place).code == root_code, at(place).end);
    };
    for (const auto& [pe, lanes] : finder_.lanes_)
      for (const auto& [worker, lane] : lanes)
        for (std::size_t i = 0; i < lane.size(); ++i)
          if (const Place place{pe, worker, i}; !found || rank(place) >= rank(*found))
            found = place;
    return found;
  }

  /// What lies between `to` and where we are.
  void step(Nanos to, Step what, const Place& place, std::uint32_t code = unknown, int from = -1) {
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

  std::optional<Place> back(const Place& place) {
    const auto slice = at(place);
    step(slice.begin, Step::run, place, slice.code);
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

  /// To who sent what has come.
  std::optional<Place> over(const Place& place, const Kept& slice) {
    const auto sent = std::lower_bound(finder_.sent_.begin(), finder_.sent_.end(),
                                       std::pair(slice.message, Nanos{0}));
    if (slice.message == 0 || sent == finder_.sent_.end() || sent->first != slice.message ||
        sent->second > time_)
      return std::nullopt;
    const auto from = static_cast<int>(slice.other);
    const auto sender = latest(from, sent->second);
    if (!sender) return std::nullopt;
    step(sent->second, Step::travel, place, slice.code, from);
    step(at(*sender).end, Step::none, *sender);
    ++path_.hops;
    return sender;
  }

  /// To what kept its worker from it; else to who runs beside, and may have made its spark.
  std::optional<Place> before(const Place& place) {
    const auto same =
        place.at > 0 ? std::optional(Place{place.pe, place.worker, place.at - 1}) : std::nullopt;
    if (same && time_ - at(*same).end < soon) {
      step(at(*same).end, Step::queue, place, at(place).code);
      return same;
    }
    const auto other = latest(place.pe, time_, place);
    if (!other) return std::nullopt;
    step(at(*other).end, Step::none, place);
    return other;
  }

  /// The slice of a PE that was running at `time`, and began before; else the last one before.
  std::optional<Place> latest(int pe, Nanos time, std::optional<Place> but = std::nullopt) const {
    const auto lanes = finder_.lanes_.find(pe);
    if (lanes == finder_.lanes_.end()) return std::nullopt;
    std::optional<Place> found;
    for (const auto& [worker, lane] : lanes->second) {
      auto next = std::lower_bound(lane.begin(), lane.end(), time,
                                   [](const Kept& slice, Nanos t) { return slice.begin < t; });
      if (next == lane.begin()) continue;
      const Place place{pe, worker, static_cast<std::size_t>(next - lane.begin()) - 1};
      if (but && but->worker == worker && but->at <= place.at) continue;
      if (!found || std::min(at(place).end, time) > std::min(at(*found).end, time)) found = place;
    }
    return found;
  }

  /// The slice of a thread that ran at `time`, or ended just before or after.
  std::optional<Place> running(int pe, Nanos time, std::uint32_t thread) const {
    if (thread == unknown) return std::nullopt;
    for (const auto& [worker, lane] : finder_.lanes_.at(pe)) {
      auto next = std::lower_bound(lane.begin(), lane.end(), time,
                                   [](const Kept& slice, Nanos t) { return slice.begin < t; });
      if (next == lane.begin()) continue;
      --next;
      if (next->thread == thread && next->end + soon >= time)
        return Place{pe, worker, static_cast<std::size_t>(next - lane.begin())};
    }
    return std::nullopt;
  }

  PathFinder& finder_;
  Nanos time_;
  Path path_;
};

Path PathFinder::find() {
  if (slices_ > most_slices) return {};
  std::sort(sent_.begin(), sent_.end());
  return Walk(*this).go();
}

}  // namespace trawl::profile
