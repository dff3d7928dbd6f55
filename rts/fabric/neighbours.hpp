// What the PEs of one host share, whatever carries messages between hosts: event counts, pipes, and
// each other's memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "rts/fabric/fabric.hpp"
#include "rts/fabric/joined.hpp"
#include "rts/fabric/memory.hpp"
#include "rts/fabric/pipe.hpp"
#include "rts/progress/event_count.hpp"

namespace trawl::fabric {

/// What each PE tells all others before anything else.
struct Card {
  std::uint64_t kernel = 0;  ///< whose processes can find each other
  std::uint64_t mark = 0;    ///< a random number, which is also at `mark_at`
  const std::uint64_t* mark_at = nullptr;
  std::int32_t process = 0;
  std::int32_t memory = -1;  ///< a file descriptor of that process
  std::int32_t pipes = 0;    ///< may messages go by shared memory, and memory be read?
  std::uint64_t says = 0;    ///< Joined::said
};

/// Which processes are on one host: those that find each other in /proc, and, if a fabric says so,
/// those that have the same network devices.
enum class HostIs { kernel, kernel_and_network };

/// A card for this process, with memory that others can open by it.
Card make_card(std::uint64_t says, HostIs host);

/// Has each pair of neighbours a pipe at all events, or only where there is room for wide ones?
enum class Pipes { where_wide, always };

/// The longest message that each pipe takes on every host, in bytes, where all neighbours have one;
/// 0: no two PEs are neighbours. The same at all PEs.
std::size_t shortest_pipe(const std::vector<Card>& cards);
/// The same, where there is room for so many PEs on each host, as some may come.
std::size_t pipe_for(std::size_t pes);

/// Sleeps between two looks, as others of this host may have use for the core. False: in vain.
template <class F>
bool wait_until(F true_now, std::chrono::nanoseconds longest) {
  constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(1);
  std::chrono::nanoseconds nap = std::chrono::microseconds(20);
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!true_now()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, longest_nap);
  }
  return true;
}

/// The PEs of this host, this one included.
class Neighbours {
 public:
  /// Without shared memory there are neither event counts nor pipes, only more looking. `admits`:
  /// some PEs may come later; those that are not there have a card of no kernel.
  Neighbours(int self, const std::vector<Card>& cards, Pipes pipes, bool admits = false);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  int count() const noexcept { return static_cast<int>(pes_.size()); }

  /// A PE has come, to this host or to another. May be done twice.
  void add(int pe, const Card& card);

  /// Are there no other PEs than these, and can all of them be notified?
  bool are_all() const noexcept {
    return are_all_.load(std::memory_order_relaxed) || (!admits_ && all_here());
  }

  /// nullptr: it has none that we could notify.
  progress::EventCount* events(int pe) const noexcept {
    auto* front = reach(pe).front;
    return front != nullptr ? &front->events : nullptr;
  }

  /// Do we see the memory by which messages go here?
  bool attached() const noexcept { return reach(self_).front != nullptr; }
  bool has(int pe) const noexcept { return reach(pe).pipe.has_value(); }

  /// False: not now, and not what is longer than a pipe takes. Notify after what went another way,
  /// too.
  bool send(int to, std::span<const std::byte> message) noexcept;
  std::optional<Arrival> receive();

  /// A message is about to go another way: its receiver is to look there.
  void announce(int to) noexcept;
  /// One has been received from there.
  void count_other(int from) noexcept;
  /// Has one been announced to us that has not been received?
  bool expects_other() const noexcept;
  /// Is there a message for us, in a pipe or elsewhere? To be asked by any thread.
  bool waiting() const noexcept;

  /// What the runtime is told of a PE that has joined by this fabric.
  Joined joined(std::unique_ptr<Fabric> fabric, const std::vector<Card>& cards) const;

  /// Whose memory this PE can read.
  Memory memory(const std::vector<Card>& cards) const;

  struct Ended {
    int pe;
    bool left;  ///< by `leave`
  };
  /// A PE whose process has ended; each is told once. The first PE of a host watches the others,
  /// they watch the first.
  std::optional<Ended> ended() noexcept;

  /// Nobody is to take this process's end for an accident. To be called on any thread.
  static void say_leaving() noexcept;

 private:
  static constexpr std::size_t board_size = std::size_t{64} << 10U;

  /// A PE's part of the shared memory begins with this; behind it the pipes to it, by their
  /// writer's index on the host.
  struct Front {
    progress::EventCount events;
    alignas(Pipe::line) std::atomic<std::uint32_t> announced;
    std::atomic<std::uint32_t> attached;  ///< it looks into its pipes
    std::atomic<std::uint32_t> reads;     ///< it can read all its neighbours' memory
    std::atomic<std::uint32_t> leaving;
  };
  struct Reach {
    Front* front = nullptr;
    std::optional<PipeWriter> pipe;
  };
  struct Inlet {
    Inlet(int its_pe, Pipe& its_pipe, std::size_t lines) : pe(its_pe), pipe(its_pipe, lines) {}
    int pe;
    PipeReader pipe;
  };

  void lay_out();
  std::byte* find_memory(const std::vector<Card>& cards, std::size_t size);
  Front* front(std::size_t index) const noexcept;
  Pipe& pipe(std::size_t to, std::size_t from) const noexcept;
  std::size_t index_of(int pe) const noexcept;
  void reach_out(int pe);
  std::size_t inlets() const noexcept { return inlet_count_.load(std::memory_order_acquire); }
  void wait_for_first() const;
  void watch(int pe, const Card& card);
  bool all_here() const noexcept;
  const Reach& reach(int pe) const noexcept { return reach_[static_cast<std::size_t>(pe)]; }

  int self_ = 0;
  std::vector<int> pes_;  // of this host
  mutable std::atomic<bool> are_all_{false};
  std::vector<Reach> reach_;      // by PE
  std::span<std::byte> board_{};  // memory that all PEs of this host share
  bool admits_;
  std::uint64_t kernel_;
  std::byte* memory_ = nullptr;
  std::size_t lines_ = 0;                       // of a pipe; 0: there are none
  std::size_t part_ = 0;                        // of the memory, that each PE has
  std::vector<std::unique_ptr<Inlet>> inlets_;  // room for all from the first on
  std::atomic<std::size_t> inlet_count_{0};
  std::size_t next_inlet_ = 0;
  std::atomic<std::uint32_t> counted_{0};
  std::vector<int> ended_;  // and not told yet
  int watched_ = -1;        // an epoll of their processes
};

}  // namespace trawl::fabric
