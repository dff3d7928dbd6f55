#include "rts/fabric/sim.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <unistd.h>

#include "rts/base/after.hpp"

namespace trawl::fabric {

class SimNet::Endpoint final : public Fabric {
 public:
  Endpoint(SimNet& net, int self) : net_(net), self_(self) {
    if (net.config_.shared_memory)
      share_memory(Memory(std::vector<pid_t>(net.pes_.size(), getpid())));
  }

  int self() const noexcept override { return self_; }
  int size() const noexcept override { return net_.config_.pes; }
  std::size_t limit() const noexcept override { return net_.config_.limit; }
  void send(int to, std::span<const std::byte> message) override { net_.send(self_, to, message); }
  std::optional<Arrival> poll() override { return net_.poll(self_); }
  bool flushed() override { return true; }
  std::size_t unsent(int to) const noexcept override { return net_.unsent(self_, to); }
  bool under_way() const noexcept override {
    if (!net_.config_.one_at_a_time) return false;
    for (int pe = 0; pe < size(); ++pe)
      if (unsent(pe) != 0) return true;
    return false;
  }
  bool survives_deaths() const noexcept override { return true; }
  std::optional<Dead> dead() override {
    const auto pe = net_.told_dead(self_);
    return pe ? std::optional(Dead{*pe}) : std::nullopt;
  }
  void forget(int pe) noexcept override { net_.forget(self_, pe); }
  bool admits() const noexcept override { return net_.config_.late != 0; }
  bool is_empty(int pe) const noexcept override { return pe >= size() - net_.config_.late; }
  std::optional<int> newcomer() override { return net_.told_come(self_); }
  Nanos now() const noexcept override { return net_.shown(self_, net_.clock(self_)); }

 private:
  SimNet& net_;
  int self_;
};

SimNet::SimNet(SimConfig config) : config_(std::move(config)), random_(config_.seed) {
  if (config_.grid) {
    config_.pes = config_.grid->pes();
    if (const int late = config_.grid->count(GridChange::What::joins); late != 0)
      config_.late = late;
    network_.emplace(std::move(*config_.grid));
  }
  if (config_.pes < 1) throw Error("a simulated grid needs at least one PE");
  if (config_.latency < 0 || config_.jitter < 0 || config_.send_cost < 0 || config_.poll_cost < 0) {
    throw Error("a simulated grid cannot have negative times");
  }
  if (!(config_.bytes_per_nano > 0)) throw Error("a simulated grid needs a bandwidth above 0");
  pes_.resize(static_cast<std::size_t>(config_.pes));
  for (int pe = 0; pe < config_.pes; ++pe) {
    auto& entry = pe_at(pe);
    const auto at = static_cast<std::size_t>(pe);
    if (at < config_.speed.size()) entry.speed = config_.speed[at];
    if (at < config_.drift.size()) entry.drift = config_.drift[at];
    if (!(entry.speed > 0)) {
      throw Error("simulated PE " + std::to_string(pe) + " needs a speed above 0");
    }
    entry.endpoint = std::make_unique<Endpoint>(*this, pe);
  }
}

SimNet::~SimNet() = default;

Fabric& SimNet::endpoint(int pe) {
  return *pe_at(pe).endpoint;
}

Nanos SimNet::done(int pe, Nanos work) const {
  const auto& entry = pe_at(pe);
  auto now = entry.clock;
  auto left = static_cast<double>(work) / entry.speed;
  while (network_) {
    const auto pace = network_->pace_of(pe, now);
    const auto takes = left / pace.share;
    if (pace.until == never || takes <= static_cast<double>(pace.until - now))
      return after(now, takes);
    left -= static_cast<double>(pace.until - now) * pace.share;
    now = pace.until;
  }
  return after(now, left);
}

double SimNet::pace(int pe) const {
  return network_ ? network_->pace_of(pe, pe_at(pe).clock).share : 1;
}

std::size_t SimNet::unsent(int from, int to) const {
  const auto& sender = pe_at(from);
  if (network_) return network_->unsent(from, to, sender.clock);
  if (!config_.one_at_a_time) return 0;
  const auto line = sender.line_free.find(to);
  if (line == sender.line_free.end() || line->second <= sender.clock) return 0;
  return static_cast<std::size_t>(static_cast<double>(line->second - sender.clock) *
                                  config_.bytes_per_nano);
}

void SimNet::send(int from, int to, std::span<const std::byte> message) {
  if (to == from || to < 0 || to >= config_.pes) {
    throw Error("PE " + std::to_string(from) + " cannot send to PE " + std::to_string(to));
  }
  if (message.size() > config_.limit) throw Error("a message is longer than the fabric's limit");
  auto& sender = pe_at(from);
  auto& receiver = pe_at(to);
  if (sender.dead) return;  // it has not been stopped yet
  sender.clock += config_.send_cost;
  const auto number = counters_.messages++;
  counters_.bytes += message.size();

  auto arrival = arrival_time(from, to, message.size());
  if (config_.lose && config_.lose(from, to, message)) {
    ++counters_.lost;
    return;
  }
  if (receiver.dead) return;
  if (!config_.reorder) {
    auto& last = receiver.last_arrival_from[from];
    last = arrival = std::max(last, arrival);
  }
  receiver.inbox.push_back({arrival, number, from, copy_of(message)});
  std::push_heap(receiver.inbox.begin(), receiver.inbox.end());
  ++in_flight_;
  if (tell_) tell_(to);
}

// As if all of it had waited for room.
void SimNet::forget(int from, int to) {
  auto& inbox = pe_at(to).inbox;
  in_flight_ -= std::erase_if(inbox, [from](const auto& message) { return message.from == from; });
  std::make_heap(inbox.begin(), inbox.end());
  if (tell_) tell_(to);
}

void SimNet::kill(int pe) {
  if (is_dead(pe)) return;
  leave(pe);
  deaths_.push_back({clock(pe) + config_.notice, pe});
  if (tell_) tell_(pe);
}

void SimNet::come() {
  if (come_ == config_.late) return;
  ++come_;
  if (tell_) tell_(0);
}

std::optional<int> SimNet::told_come(int pe) noexcept {
  if (pe != 0 || told_ == come_) return std::nullopt;
  return config_.pes - config_.late + told_++;
}

void SimNet::leave(int pe) {
  auto& entry = pe_at(pe);
  entry.dead = true;
  in_flight_ -= entry.inbox.size();
  entry.inbox.clear();
}

std::optional<int> SimNet::told_dead(int pe) noexcept {
  if (pe != 0) return std::nullopt;
  const auto found = std::find_if(deaths_.begin(), deaths_.end(),
                                  [&](const Death& death) { return death.told <= pe_at(0).clock; });
  if (found == deaths_.end()) return std::nullopt;
  const int dead = found->pe;
  deaths_.erase(found);
  return dead;
}

std::optional<Arrival> SimNet::poll(int pe) {
  auto& entry = pe_at(pe);
  entry.clock += config_.poll_cost;
  auto& inbox = entry.inbox;
  if (inbox.empty() || inbox.front().arrival > entry.clock) return std::nullopt;
  std::pop_heap(inbox.begin(), inbox.end());
  const int from = inbox.back().from;
  // What has been received nothing overtakes any more.
  if (const auto last = entry.last_arrival_from.find(from);
      last != entry.last_arrival_from.end() && last->second <= inbox.back().arrival)
    entry.last_arrival_from.erase(last);
  entry.received = std::move(inbox.back().content);
  inbox.pop_back();
  --in_flight_;
  return Arrival{from, entry.received};
}

Nanos SimNet::arrival_time(int from, int to, std::size_t bytes) {
  auto& sender = pe_at(from);
  if (network_) return network_->send(from, to, bytes, sender.clock, random_());
  auto leaves = sender.clock;
  if (config_.one_at_a_time) leaves = std::max(leaves, sender.line_free[to]);
  leaves = after(leaves, static_cast<double>(bytes) / config_.bytes_per_nano);
  sender.line_free[to] = leaves;
  auto time = config_.latency_between ? config_.latency_between(from, to) : config_.latency;
  // Not std::uniform_int_distribution: what it draws differs between standard libraries.
  if (config_.jitter > 0) {
    time += static_cast<Nanos>(random_() % (static_cast<std::uint64_t>(config_.jitter) + 1));
  }
  return leaves + time;
}

}  // namespace trawl::fabric
