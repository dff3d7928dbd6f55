// A PE's messages on their way out and in: between its rooms and the fabric.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "rts/fabric/fragments.hpp"
#include "rts/poll_clock.hpp"
#include "rts/recover/census.hpp"
#include "rts/router.hpp"
#include "rts/trace/stats.hpp"

namespace trawl {

/// Guarded by its PE's lock.
class Mailbox final : public fabric::Outbox {
 public:
  struct Rooms {
    fabric::Fabric& fabric;
    PollClock& clock;
    balance::Tables& tables;
    sched::Workers& workers;
    sched::DeadlockDetector& deadlock_detector;
    life::Life& life;
    recover::Census& census;
    Router& router;
    Counters& counters;
    trace::Log* log;
  };

  /// `look_around`: polls once, for somebody who has stepped out.
  Mailbox(const Rooms& rooms, std::mutex& lock, std::function<void()> look_around)
      : rooms_(rooms), lock_(lock), look_around_(std::move(look_around)) {
    if (rooms.life.recovers()) fragmenter_.expect_views();
  }

  // Outbox
  Writer open(fabric::Kind kind, int to) override;
  void send(int to, Writer message) override;
  std::span<const std::byte> hold(std::span<const std::byte> message) override;
  void step_out() override;
  void look_around() override { look_around_(); }
  void step_in() noexcept override;
  Nanos now() const override { return rooms_.fabric.now(); }
  Nanos round_trip(int to) const override { return 2 * rooms_.tables.latency_to(to).one_way; }
  Nanos carrying(int from, int to, std::size_t bytes) const override;
  std::uint32_t cluster_of(int pe) const override { return rooms_.tables.cluster_of(pe); }

  /// Delivers what has come, up to a bound: sooner it ends after what `by` should begin at once.
  void take_messages(sched::Worker* by);
  /// Sends more of what waits for room. Throws Error where a PE is lost, again and again.
  void send_kept();
  /// A PE is gone: what has come of it and was not read, goes. So does what is kept for it, but if
  /// it `hears`: behind a full pipe there may be the VIEW that says so. (When its process has ended
  /// the fabric drops what is left.)
  void forget(int pe, bool hears);
  /// All messages have left this process.
  bool flushed() override;

  /// Bytes of messages received and sent since it was last asked, about: to tell what takes long.
  std::size_t take_handled() noexcept { return std::exchange(handled_, 0); }

  /// A poll ends: is another needed soon, because something is under way (progress::State)?
  void note_under_way() noexcept;
  /// The last poll ended though there was more of a long message, or room for it.
  bool more_to_move() const noexcept { return more_to_move_.load(std::memory_order_relaxed); }

 private:
  std::optional<fabric::Arrival> receive();
  bool take_own(sched::Worker* by);
  bool must_wait(std::span<const std::byte> message) const;
  bool is_ahead(std::span<const std::byte> message) const;
  void deliver(int from, std::span<const std::byte> message, Nanos now, sched::Worker* by);
  std::size_t views_behind(std::span<const std::byte> message) const noexcept;
  void pass_on(int to, fabric::Kind kind, Writer& message);
  void note_sent_by_thread();

  Rooms rooms_;
  std::mutex& lock_;
  std::function<void()> look_around_;
  fabric::Fragmenter fragmenter_;
  std::deque<Bytes> to_self_;
  // Sender and message; came before we knew the others, or while another was being read.
  std::deque<std::pair<int, Bytes>> early_;
  const fabric::Arrival* arriving_ = nullptr;  // in the fabric's memory, or the fragmenter's
  Bytes held_;
  bool outside_ = false;  // a message is being read by somebody without the lock
  Writer spare_;          // memory of the last message
  std::atomic<bool> more_to_move_{false};
  std::size_t handled_ = 0;
  PollClock::Mark opened_;  // when a message was begun last
};

}  // namespace trawl
