// Many PEs in one process under virtual time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/base/after.hpp"
#include "rts/fabric/fabric.hpp"
#include "rts/fabric/network.hpp"

namespace trawl::fabric {

/// A described grid. Times are virtual nanoseconds.
struct SimConfig {
  int pes = 1;
  std::uint64_t seed = 1;
  Nanos latency = 10'000;       ///< one way
  Nanos jitter = 0;             ///< each message is late by up to this much more
  double bytes_per_nano = 1.0;  ///< bandwidth between two PEs, in GB/s
  bool reorder = false;         ///< may messages of the same pair overtake each other?
  std::vector<double> speed{};  ///< by PE; 1 where it is not given
  std::vector<double> drift{};  ///< by PE: how much faster than others' its clock goes, of 1
  Nanos send_cost = 200;        ///< what `send` takes the sender, whatever its speed
  Nanos poll_cost = 100;        ///< what `poll` takes, so that a polling loop gets on in time
  std::size_t limit = 64 * 1024;
  bool shared_memory = false;  ///< are all PEs on one host?
  /// Is there a line from each PE to each other, on which a message waits for the one before it?
  bool one_at_a_time = false;
  /// Overrides the number of PEs and all that is said of latency and bandwidth, if given.
  std::optional<GridFile> grid{};
  /// Overrides `latency`, if given.
  std::function<Nanos(int from, int to)> latency_between{};
  /// So many PEs, the last ones, come while the run goes on.
  int late = 0;
  /// After so long the main PE is told that another has died.
  Nanos notice = 1'000'000;
  /// True loses the message. Asked once for each, in the order of sending.
  std::function<bool(int from, int to, std::span<const std::byte> message)> lose{};
};

/// The PEs' endpoints, their clocks and what is between them. Single-threaded. The same seed and
/// the same calls give the same run, to the nanosecond.
class SimNet {
 public:
  /// What has happened so far; bytes as sent.
  struct Counters {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t lost = 0;  ///< of the messages
  };

  /// Throws Error for a grid that cannot be.
  explicit SimNet(SimConfig config);
  ~SimNet();
  SimNet(const SimNet&) = delete;
  SimNet& operator=(const SimNet&) = delete;

  Fabric& endpoint(int pe);

  Nanos clock(int pe) const { return pe_at(pe).clock; }
  /// What the clock of a PE, which may drift, says at a time; and when it says that.
  Nanos shown(int pe, Nanos time) const noexcept {
    const auto drift = pe_at(pe).drift;
    return drift == 0 ? time : after(time, static_cast<double>(time) * drift);
  }
  Nanos when(int pe, Nanos shown) const noexcept {
    const auto drift = pe_at(pe).drift;
    if (drift == 0 || shown == never) return shown;
    return after(shown, -static_cast<double>(shown) * drift / (1 + drift));
  }

  /// Bytes that wait for the line to be free, or are on it.
  std::size_t unsent(int from, int to) const;

  /// When work is done that is begun now and takes `work` at speed 1.
  Nanos done(int pe, Nanos work) const;

  /// The share of its speed that a PE has now.
  double pace(int pe) const;

  /// No message between two PEs takes less, on a described grid; else 0.
  Nanos least_latency() const noexcept { return network_ ? network_->least_latency() : 0; }

  /// To be called for each message, with its receiver, once it is known when it arrives.
  void on_arrival(std::function<void(int pe)> tell) { tell_ = std::move(tell); }

  /// Waits until `time`; the past changes nothing.
  void advance_to(int pe, Nanos time) noexcept {
    auto& clock = pe_at(pe).clock;
    clock = std::max(clock, time);
  }

  /// When the earliest message on its way to `pe` arrives, if there is one.
  std::optional<Nanos> next_arrival(int pe) const noexcept {
    const auto& inbox = pe_at(pe).inbox;
    return inbox.empty() ? std::nullopt : std::optional(inbox.front().arrival);
  }

  /// Messages sent and neither lost nor polled.
  std::size_t in_flight() const noexcept { return in_flight_; }

  const Counters& counters() const noexcept { return counters_; }

  /// The process of a PE ends: what it has sent still arrives, what is sent to it does not.
  void kill(int pe);
  /// The next of those that are late is there.
  void come();
  /// Is it not there yet?
  bool is_late(int pe) const noexcept { return pe >= config_.pes - config_.late + come_; }
  /// It ends because nobody needs it any more: nobody is told.
  void leave(int pe);
  /// What one has sent to the other and has not arrived yet is dropped.
  void forget(int from, int to);
  bool is_dead(int pe) const noexcept { return pe_at(pe).dead; }

  /// Of a described grid.
  const std::optional<Network>& network() const noexcept { return network_; }

 private:
  class Endpoint;

  struct Message {
    Nanos arrival;
    std::uint64_t number;  ///< in the order of sending
    int from;
    Bytes content;

    /// Does the other one come first?
    bool operator<(const Message& other) const noexcept {
      return arrival != other.arrival ? arrival > other.arrival : number > other.number;
    }
  };

  struct Pe {
    Nanos clock = 0;
    double speed = 1.0;
    double drift = 0;
    bool dead = false;
    std::vector<Message, PlainAllocator<Message>> inbox{};      ///< a heap, the next one in front
    Bytes received{};                                           ///< the last message
    boost::unordered_flat_map<int, Nanos> last_arrival_from{};  ///< of those not yet received
    boost::unordered_flat_map<int, Nanos> line_free{};  ///< when the last has left, by receiver
    std::unique_ptr<Endpoint> endpoint{};
  };

  Pe& pe_at(int pe) noexcept { return pes_[static_cast<std::size_t>(pe)]; }
  const Pe& pe_at(int pe) const noexcept { return pes_[static_cast<std::size_t>(pe)]; }
  void send(int from, int to, std::span<const std::byte> message);
  std::optional<Arrival> poll(int pe);
  std::optional<int> told_dead(int pe) noexcept;
  std::optional<int> told_come(int pe) noexcept;
  Nanos arrival_time(int from, int to, std::size_t bytes);

  SimConfig config_;
  std::optional<Network> network_;
  std::function<void(int pe)> tell_;
  std::mt19937_64 random_;
  std::vector<Pe> pes_;
  Counters counters_;
  std::size_t in_flight_ = 0;
  int come_ = 0;  // of those that were late
  int told_ = 0;  // of these, whom the main PE knows of
  /// A death of which the main PE learns at a time.
  struct Death {
    Nanos told;
    int pe;
  };
  std::vector<Death> deaths_;  // of which it has not been told
};

}  // namespace trawl::fabric
