#include "rts/fabric/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rts/base/after.hpp"
#include "rts/base/mix.hpp"

namespace trawl::fabric {
namespace {

constexpr int many_changes = 100'000;

double share_of(std::uint64_t random, double least, double most) noexcept {
  return least + (most - least) * (static_cast<double>(random >> 11U) * 0x1p-53);
}

Nanos late(Nanos jitter, std::uint64_t random) noexcept {
  return jitter == 0 ? 0 : static_cast<Nanos>(random % (static_cast<std::uint64_t>(jitter) + 1));
}

Nanos longest_over(const Line& line, std::size_t bytes, double latencies = 1,
                   double bandwidths = 1) noexcept {
  const auto latency = static_cast<double>(line.latency) * latencies;
  return after(line.jitter,
               latency + static_cast<double>(bytes) / (line.bytes_per_nano * bandwidths));
}

Nanos longest_over(const GridLink& link, const RandomChanges& random, std::size_t bytes) noexcept {
  const auto latencies = random.every != 0 ? random.most_latency : 1;
  const auto bandwidths = random.every != 0 ? random.least_bandwidth : 1;
  auto most = longest_over(link.line, bytes, latencies, bandwidths);
  for (const auto& change : link.changes)
    most = std::max(most, longest_over(change.line, bytes, latencies, bandwidths));
  return most;
}

}  // namespace

Network::Network(GridFile grid) : Network(std::move(grid), {}) {}

Network::Network(GridFile grid, Free links) : grid_(std::move(grid)), shared_(links) {
  place_pes();
  find_routes();
}

void Network::place_pes() {
  for (std::size_t i = 0; i < grid_.clusters.size(); ++i)
    cluster_of_.resize(cluster_of_.size() + static_cast<std::size_t>(grid_.clusters[i].pes),
                       static_cast<int>(i));
}

// The shortest way by latency, as routers of a quiet network would find it (Floyd and Warshall).
void Network::find_routes() {
  if (!grid_.has_missing_links()) return;
  const auto n = grid_.clusters.size();
  constexpr auto far = std::numeric_limits<Nanos>::max() / 4;
  std::vector<Nanos> length(n * n, far);
  next_.assign(n * n, -1);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      const auto& link = grid_.link(static_cast<int>(a), static_cast<int>(b));
      if (a == b || link.missing) continue;
      length[a * n + b] = link.line.latency;
      next_[a * n + b] = static_cast<std::int16_t>(b);
    }
  for (std::size_t by = 0; by < n; ++by)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b || length[a * n + by] + length[by * n + b] >= length[a * n + b]) continue;
        length[a * n + b] = length[a * n + by] + length[by * n + b];
        next_[a * n + b] = next_[a * n + by];
      }
}

Network::Stretch Network::stretch_at(int from, int to, Nanos now) const {
  const auto& link = grid_.link(from, to);
  Stretch stretch{link.line, never};
  if (!link.changes.empty()) {
    const auto into = link.period == 0 ? now : now % link.period;
    const auto next = std::upper_bound(
        link.changes.begin(), link.changes.end(), into,
        [](Nanos time, const GridLink::Change& change) { return time < change.at; });
    if (next != link.changes.begin()) stretch.line = std::prev(next)->line;
    if (next != link.changes.end())
      stretch.until = now - into + next->at;
    else if (link.period != 0)
      stretch.until = now - into + link.period;
  }
  if (const auto& random = grid_.random_changes; random.every != 0) {
    const auto turn = now / random.every;
    const auto which = (static_cast<std::uint64_t>(from) << 40U) ^
                       (static_cast<std::uint64_t>(to) << 20U) ^ static_cast<std::uint64_t>(turn);
    const auto bits = mixed(mixed(random.seed) ^ which);
    stretch.line.bytes_per_nano *= share_of(bits, random.least_bandwidth, random.most_bandwidth);
    stretch.line.latency =
        after(0, static_cast<double>(stretch.line.latency) *
                     share_of(mixed(bits), random.least_latency, random.most_latency));
    stretch.until = std::min(stretch.until, (turn + 1) * random.every);
  }
  return stretch;
}

Nanos Network::least_latency() const noexcept {
  auto least = never;
  for (const auto& cluster : grid_.clusters)
    if (cluster.pes > 1) least = std::min(least, cluster.inside.latency);
  const auto look = [&](const GridLink& link) {
    auto of_link = link.line.latency;
    for (const auto& change : link.changes) of_link = std::min(of_link, change.line.latency);
    if (grid_.random_changes.every != 0)
      of_link =
          static_cast<Nanos>(static_cast<double>(of_link) * grid_.random_changes.least_latency);
    least = std::min(least, of_link);
  };
  if (grid_.clusters.size() > 1) look(grid_.between);
  for (const auto& [ends, link] : grid_.links) look(link);
  return least;
}

// Over several links one after the other.
Nanos Network::longest(std::size_t bytes) const noexcept {
  Nanos most = 0;
  for (const auto& cluster : grid_.clusters)
    most = std::max(most, longest_over(cluster.inside, bytes));
  const auto over = [&](int from, int to) {
    return longest_over(grid_.link(from, to), grid_.random_changes, bytes);
  };
  const auto clusters = static_cast<int>(grid_.clusters.size());
  for (int from = 0; from < clusters; ++from)
    for (int to = 0; to < clusters; ++to) {
      Nanos route = 0;
      for (int at = from, next = 0; at != to; at = next) {
        next = next_hop(at, to);
        route = after(route, static_cast<double>(over(at, next)));
      }
      most = std::max(most, route);
    }
  return most;
}

Line Network::line_at(int from, int to, Nanos now) const {
  return stretch_at(from, to, now).line;
}

// When the last byte is on its way, through all changes of bandwidth. Where so many are not enough,
// they come again for ever: what is left goes at their mean.
Nanos Network::carried(int from, int to, std::size_t bytes, Nanos begins) const {
  auto left = static_cast<double>(bytes);
  auto now = begins;
  for (int changes = 0;; ++changes) {
    const auto [line, until] = stretch_at(from, to, now);
    const auto takes = left / line.bytes_per_nano;
    if (until == never || takes <= static_cast<double>(until - now)) return after(now, takes);
    if (changes == many_changes)
      return after(now,
                   left * static_cast<double>(now - begins) / (static_cast<double>(bytes) - left));
    left -= static_cast<double>(until - now) * line.bytes_per_nano;
    now = until;
  }
}

// A message that goes by way of other clusters loads all its links when it is sent, so that it
// keeps nobody waiting who is there before it: right but for the time that it takes to them.
Nanos Network::hop(int from, int to, std::size_t bytes, Nanos sent, Nanos reaches,
                   std::uint64_t random) {
  auto& use = used_[index(from, to)];
  auto& free = shared_.empty() ? use.free : shared_[index(from, to)];
  auto seen = free.load(std::memory_order_relaxed);
  Nanos left = 0;
  do {
    left = carried(from, to, bytes, std::max(sent, seen));
  } while (!free.compare_exchange_weak(seen, left, std::memory_order_relaxed));
  ++use.carried.messages;
  use.carried.bytes += bytes;
  use.carried.busy += left - std::max(sent, seen);
  if (reaches > sent) left = std::max(left, carried(from, to, bytes, reaches));
  const auto line = line_at(from, to, left);
  return left + line.latency + late(line.jitter, random);
}

// What waits for the link then, or is on it, comes without a gap.
Network::Carried Network::carried_until(int from, int to, Nanos then) const {
  const auto use = used_.find(index(from, to));
  if (use == used_.end()) return {};
  auto carried = use->second.carried;
  carried.busy -= std::min(carried.busy, std::max(free_at(from, to) - then, Nanos{0}));
  return carried;
}

std::vector<std::pair<int, int>> Network::used_links() const {
  const auto clusters = grid_.clusters.size();
  std::vector<std::pair<int, int>> links;
  for (const auto& [at, use] : used_)
    links.emplace_back(static_cast<int>(at / clusters), static_cast<int>(at % clusters));
  std::sort(links.begin(), links.end());
  return links;
}

Nanos Network::free_at(int from, int to) const {
  const auto at = index(from, to);
  if (!shared_.empty()) return shared_[at].load(std::memory_order_relaxed);
  const auto use = used_.find(at);
  return use == used_.end() ? 0 : use->second.free.load(std::memory_order_relaxed);
}

Nanos Network::send(int from_pe, int to_pe, std::size_t bytes, Nanos now, std::uint64_t random) {
  int at = cluster_of(from_pe);
  const int goal = cluster_of(to_pe);
  if (at == goal) {
    const auto& inside = grid_.clusters[static_cast<std::size_t>(at)].inside;
    return after(now, static_cast<double>(bytes) / inside.bytes_per_nano) + inside.latency +
           late(inside.jitter, random);
  }
  auto reaches = now;
  while (at != goal) {
    const int next = next_hop(at, goal);
    reaches = hop(at, next, bytes, now, reaches, random);
    random = mixed(random);
    at = next;
  }
  return reaches;
}

int Network::next_hop(int from, int to) const noexcept {
  if (next_.empty()) return to;
  return next_[index(from, to)];
}

std::size_t Network::unsent(int from_pe, int to_pe, Nanos now) const {
  const int from = cluster_of(from_pe);
  const int to = cluster_of(to_pe);
  if (from == to) return 0;
  const int next = next_hop(from, to);
  const auto free = free_at(from, next);
  if (free <= now) return 0;
  const auto bytes = static_cast<double>(free - now) * line_at(from, next, now).bytes_per_nano;
  return static_cast<std::size_t>(std::llround(bytes));
}

Network::Pace Network::pace_of(int pe, Nanos now) const noexcept {
  Pace pace;
  for (const auto& change : grid_.speed_changes) {
    if (change.pe != pe) continue;
    if (change.at > now) {
      pace.until = change.at;
      break;
    }
    pace.share = change.speed;
  }
  return pace;
}

}  // namespace trawl::fabric
