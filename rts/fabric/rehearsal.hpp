// A described grid laid over another fabric: each message comes when it would have come there.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "rts/fabric/fabric.hpp"
#include "rts/fabric/network.hpp"

namespace trawl::fabric {

/// Its PEs are processes of one host: they share a clock and, on `board`, the links.
class Rehearsal final : public Fabric {
 public:
  /// Throws Error (exit code 2) if the grid has another number of PEs, or too many clusters for
  /// the board, or a PE does not share that: then none rehearses. Else `inner` is taken over.
  Rehearsal(std::unique_ptr<Fabric>& inner, GridFile grid, std::span<std::byte> board);

  const GridCluster& cluster() const noexcept;
  /// The largest share of its speed that this PE ever has.
  double best_share() const noexcept { return network_.grid().best_share(self()); }
  /// What a message may wait behind so many bytes, and on its way.
  Nanos longest(std::size_t bytes) const noexcept { return network_.longest(bytes); }
  /// The share of its speed that this PE has now, and until when by this fabric's clock.
  Network::Pace pace() const noexcept;

  int self() const noexcept override { return inner_->self(); }
  int size() const noexcept override { return inner_->size(); }
  std::size_t limit() const noexcept override { return inner_->limit() - sizeof(Nanos); }
  void send(int to, std::span<const std::byte> message) override;
  std::optional<Arrival> poll() override;
  std::size_t unsent(int to) const noexcept override;
  bool flushed() override { return inner_->flushed(); }
  bool all_notify() const noexcept override { return inner_->all_notify(); }
  bool waiting() const noexcept override { return inner_->waiting() || due() <= now(); }
  bool under_way() const noexcept override { return inner_->under_way(); }
  Nanos due() const noexcept override { return due_.load(std::memory_order_relaxed); }
  std::optional<Dead> dead() override { return inner_->dead(); }
  void forget(int pe) noexcept override { inner_->forget(pe); }
  bool survives_deaths() const noexcept override { return inner_->survives_deaths(); }
  Nanos now() const noexcept override { return inner_->now(); }

 private:
  /// What lies on the board, before the links.
  struct Head {
    std::atomic<Nanos> begun;
  };
  static Network make_network(GridFile grid, std::span<std::byte> board, int pes);
  void take_in();

  Network network_;
  Nanos begun_;
  std::unique_ptr<Fabric> inner_;
  std::mt19937_64 random_;
  Bytes outgoing_;
  /// Sender and content, by the time they are due, then as they came.
  std::map<std::pair<Nanos, std::uint64_t>, std::pair<int, Bytes>> late_;
  std::uint64_t taken_in_ = 0;
  std::atomic<Nanos> due_{never};
  Bytes received_;  // the last message
};

}  // namespace trawl::fabric
