// How messages travel: one endpoint per PE, whatever carries them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "rts/fabric/memory.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/progress/event_count.hpp"

namespace trawl::fabric {

/// A message as it arrived. Its bytes stay there until the next poll.
struct Arrival {
  int from;
  std::span<const std::byte> bytes;
};

/// What is known of a PE's end.
struct Dead {
  int pe = 0;
  std::string why = "its process has ended";
};

/// The endpoint of one PE. Not thread-safe: its PE calls it under one lock. Messages arrive whole,
/// once, and in any order.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual int self() const noexcept = 0;
  virtual int size() const noexcept = 0;

  /// The largest message `send` accepts, in bytes, at least 256; longer ones travel in fragments
  /// (fragments.hpp).
  virtual std::size_t limit() const noexcept = 0;

  /// Hands over a message of at most limit() bytes; returns at once, having read or copied it. `to`
  /// may not be `self`. Throws Error when `to` is known to be unreachable.
  virtual void send(int to, std::span<const std::byte> message) = 0;

  /// The next message that has arrived, if any; also drives sends that are under way.
  virtual std::optional<Arrival> poll() = 0;

  /// Bytes handed to send for a PE that have not left this process.
  virtual std::size_t unsent(int) const noexcept { return 0; }

  /// True when every message handed to send has left this process. Who waits for that has to ask
  /// `dead` meanwhile: what is for one who has died never leaves.
  virtual bool flushed() = 0;

  /// What this PE's threads park on. To be used by any thread.
  progress::EventCount& events() noexcept { return *events_; }

  /// Does every message notify it?
  virtual bool all_notify() const noexcept { return true; }
  /// Has one that was notified of not been taken yet? To be asked by any thread.
  virtual bool waiting() const noexcept { return false; }
  /// Is something of ours under way that needs another poll soon?
  virtual bool under_way() const noexcept { return false; }

  /// When something of which nobody is notified needs another poll; `never` if nothing does. To be
  /// asked by any thread.
  virtual Nanos due() const noexcept { return never; }

  /// A PE whose process has ended, and not by `leave`, or that this one alone does not reach: each
  /// is told once, and only those that can be seen from here.
  virtual std::optional<Dead> dead() { return std::nullopt; }

  // ---- PEs that come while the run goes on

  /// Are there seats for PEs that come later? The same at all PEs.
  virtual bool admits() const noexcept { return false; }
  /// A seat that nobody had taken when this PE joined.
  virtual bool is_empty(int) const noexcept { return false; }
  /// Looks who has come; the main PE is told, once, which seat has been taken.
  virtual std::optional<int> newcomer() { return std::nullopt; }
  /// Sends away who has come.
  virtual void refuse_newcomers() {}
  /// What others need to reach a PE that has come; and what they do with it. May be done twice.
  virtual Bytes card(int) const { return {}; }
  virtual void admit(int, std::span<const std::byte>) {}

  /// A PE is gone, dead or not: nothing need go there any more, also of what waits.
  virtual void forget(int) noexcept {}

  /// Does the run go on here when another PE than the main one has died (rts/recover)?
  virtual bool survives_deaths() const noexcept { return false; }

  /// Whose memory this PE can read. Long arrays needn't be sent there (heap/packet.hpp).
  const Memory& memory() const noexcept { return memory_; }

  /// This PE's own clock (steady, not corrected for its offset from the main PE's).
  virtual Nanos now() const noexcept = 0;

 protected:
  /// One that others can notify too.
  void share_events(progress::EventCount& events) noexcept { events_ = &events; }
  void share_memory(Memory memory) { memory_ = std::move(memory); }

 private:
  progress::EventCount unshared_events_{};
  progress::EventCount* events_ = &unshared_events_;
  Memory memory_;
};

}  // namespace trawl::fabric
