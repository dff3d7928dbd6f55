// What the PEs of one host share beside MPI: event counts, pipes, and each other's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <sys/types.h>

#include "rts/fabric/fabric.hpp"
#include "rts/fabric/memory.hpp"
#include "rts/fabric/pipe.hpp"
#include "rts/progress/event_count.hpp"

namespace trawl::fabric {

/// Throws Error with MPI's own words if `code` is not success.
void check(int code, const char* doing);
void check(int code, const char* doing, int pe);

/// What each PE tells all others before anything else.
struct Card {
  std::uint64_t kernel = 0;  ///< whose processes can find each other
  std::uint64_t mark = 0;    ///< a random number, which is also at `mark_at`
  const std::uint64_t* mark_at = nullptr;
  std::int32_t process = 0;
  std::int32_t memory = -1;  ///< a file descriptor of that process
  std::int32_t pipes = 0;    ///< may messages go by shared memory?
  std::uint64_t says = 0;    ///< Joined::said
};

/// All PEs' cards, by PE. To be called by all PEs together; who waits leaves his core to others.
std::vector<Card> exchange_cards(MPI_Comm world, const Card& own);

/// A card for this process, with memory that others can open by it.
Card make_card(std::uint64_t says);

/// The PEs of this host, this one included.
class Neighbours {
 public:
  /// Without shared memory there are neither event counts nor pipes, only more looking.
  Neighbours(int self, const std::vector<Card>& cards);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  int count() const noexcept { return static_cast<int>(pes_.size()); }
  int index() const noexcept { return index_; }

  /// Are there no other PEs than these, and can all of them be notified?
  bool are_all() const noexcept { return are_all_.load(std::memory_order_relaxed) || all_here(); }

  /// nullptr: it has none that we could notify.
  progress::EventCount* events(int pe) const noexcept {
    auto* front = reach(pe).front;
    return front != nullptr ? &front->events : nullptr;
  }

  /// False: it goes by MPI, announced. Either way, notify afterwards.
  bool send(int to, std::span<const std::byte> message) noexcept;
  std::optional<Arrival> receive();

  /// A message is about to be handed to MPI: its receiver is to look there.
  void announce_mpi(int to) noexcept;
  /// One has been received from MPI.
  void count_mpi(int from) noexcept;
  /// Has one been announced to us that MPI has not shown us yet?
  bool expects_mpi() const noexcept;
  /// Is there a message for us, in a pipe or in MPI? To be asked by any thread.
  bool waiting() const noexcept;

  /// Of the PEs of this host.
  std::vector<pid_t> processes(const std::vector<Card>& cards) const;

  /// Memory that all PEs of this host share, zeros at first; empty: there is none.
  std::span<std::byte> board() const noexcept { return board_; }

  /// Whose memory this PE can read.
  Memory memory(const std::vector<Card>& cards) const;

  /// A PE whose process has ended without `leave`; each is told once. The first PE of a host
  /// watches the others, they watch the first.
  std::optional<int> dead() noexcept;

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

  void lay_out(std::byte* memory, std::size_t lines);
  void wait_for_first() const;
  void watch(int pe, const Card& card);
  bool all_here() const noexcept;
  const Reach& reach(int pe) const noexcept { return reach_[static_cast<std::size_t>(pe)]; }

  int self_ = 0;
  int index_ = 0;
  std::vector<int> pes_;  // of this host
  mutable std::atomic<bool> are_all_{false};
  std::vector<Reach> reach_;  // by PE
  std::span<std::byte> board_{};
  std::vector<std::unique_ptr<Inlet>> inlets_;
  std::size_t next_inlet_ = 0;
  std::atomic<std::uint32_t> counted_{0};
  std::vector<int> dead_;  // before they could be watched
  int watched_ = -1;       // an epoll of their processes
};

}  // namespace trawl::fabric
