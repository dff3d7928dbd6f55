#include "rts/fabric/rehearsal.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

constexpr Nanos patience_with_others = 10'000'000'000;
constexpr Nanos given_up = -1;

[[noreturn]] void refuse() {
  throw Error("a grid is rehearsed by PEs of one host, which can share memory: these can't", 2);
}

// The first who sees that all are there says when the run began; who waits in vain, that there is
// none: a PE that is not there could not read the others' messages.
Nanos agree(std::atomic<Nanos>& begun, const Fabric& inner) {
  const auto end = inner.now() + patience_with_others;
  while (!inner.all_notify() && begun == 0 && inner.now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto own = inner.all_notify() ? inner.now() : given_up;
  Nanos seen = 0;
  const auto agreed = begun.compare_exchange_strong(seen, own) ? own : seen;
  if (agreed == given_up) refuse();
  return agreed;
}

}  // namespace

Network Rehearsal::make_network(GridFile grid, std::span<std::byte> board, int pes) {
  if (grid.pes() != pes)
    throw Error("the grid file describes " + std::to_string(grid.pes()) + " PEs, and there are " +
                    std::to_string(pes) + ": start so many by -n " + std::to_string(grid.pes()),
                2);
  if (board.size() < sizeof(Head)) refuse();
  const auto links = grid.clusters.size() * grid.clusters.size();
  auto* first = reinterpret_cast<std::atomic<Nanos>*>(board.data() + sizeof(Head));
  if (links > (board.size() - sizeof(Head)) / sizeof *first)
    throw Error("a grid of " + std::to_string(grid.clusters.size()) +
                    " clusters is too large to be rehearsed: simulate it",
                2);
  return {std::move(grid), Network::Free(first, links)};
}

Rehearsal::Rehearsal(std::unique_ptr<Fabric>& inner, GridFile grid, std::span<std::byte> board)
    : network_(make_network(std::move(grid), board, inner->size())),
      begun_(agree(reinterpret_cast<Head*>(board.data())->begun, *inner)),
      inner_(std::move(inner)),
      random_(static_cast<std::uint64_t>(inner_->self())) {
  share_events(inner_->events());
}

const GridCluster& Rehearsal::cluster() const noexcept {
  const auto& grid = network_.grid();
  return grid.clusters[static_cast<std::size_t>(grid.cluster_of(self()))];
}

Network::Pace Rehearsal::pace() const noexcept {
  auto pace = network_.pace_of(self(), now() - begun_);
  if (pace.until != never) pace.until += begun_;
  return pace;
}

void Rehearsal::send(int to, std::span<const std::byte> message) {
  const Nanos arrives = begun_ + network_.send(self(), to, message.size(),
                                               std::max<Nanos>(now() - begun_, 0), random_());
  outgoing_.resize(sizeof arrives + message.size());
  std::memcpy(outgoing_.data(), &arrives, sizeof arrives);
  std::copy(message.begin(), message.end(), outgoing_.begin() + sizeof arrives);
  inner_->send(to, outgoing_);
}

void Rehearsal::take_in() {
  while (const auto arrival = inner_->poll()) {
    Nanos due = 0;
    if (arrival->bytes.size() < sizeof due)
      throw Error("PE " + std::to_string(arrival->from) + " sent PE " + std::to_string(self()) +
                  " a message without the time of its arrival");
    std::memcpy(&due, arrival->bytes.data(), sizeof due);
    late_.emplace(std::pair(due, taken_in_++),
                  std::pair(arrival->from, copy_of(arrival->bytes.subspan(sizeof due))));
  }
}

std::optional<Arrival> Rehearsal::poll() {
  take_in();
  std::optional<Arrival> arrival;
  if (const auto first = late_.begin(); first != late_.end() && first->first.first <= now()) {
    received_ = std::move(first->second.second);
    arrival = Arrival{first->second.first, received_};
    late_.erase(first);
  }
  due_.store(late_.empty() ? never : late_.begin()->first.first, std::memory_order_relaxed);
  return arrival;
}

std::size_t Rehearsal::unsent(int to) const noexcept {
  return inner_->unsent(to) + network_.unsent(self(), to, now() - begun_);
}

}  // namespace trawl::fabric
