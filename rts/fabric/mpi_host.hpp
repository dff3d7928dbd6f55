// What the PEs of one host share beside MPI: bells, pipes, and each other's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "rts/fabric/bell.hpp"
#include "rts/fabric/fabric.hpp"
#include "rts/fabric/memory.hpp"
#include "rts/fabric/pipe.hpp"

namespace trawl::fabric {

/// Throws Error with MPI's own words if `code` is not success.
void check(int code, const char* doing);
void check(int code, const char* doing, int pe);

/// What it says there; empty if it isn't set.
std::string_view environment(const char* name);

/// Did the user ask UCX for TCP? That rehearses several hosts: then only bells are shared.
bool asked_for_tcp();

/// The PEs of this host, this one included.
class Neighbours {
 public:
  /// To be called by all PEs of `host` together. Without shared memory there are neither bells nor
  /// pipes, only more looking.
  Neighbours(MPI_Comm world, MPI_Comm host);

  /// Are there no other PEs than these, and can all of them be rung for?
  bool are_all() const noexcept { return are_all_; }

  /// nullptr: it has none that we could ring.
  Bell* bell(int pe) const noexcept { return reach(pe).bell; }

  /// False: it goes by MPI, announced. Either way, ring afterwards.
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

 private:
  /// A PE's part of the shared memory begins with this; behind it the pipes to it, by their
  /// writer's rank on the host.
  struct Front {
    Bell bell;
    alignas(Pipe::line) std::atomic<std::uint32_t> announced;
  };
  struct Reach {
    Bell* bell = nullptr;
    std::atomic<std::uint32_t>* announced = nullptr;
    std::optional<PipeWriter> pipe;
  };
  struct Inlet {
    Inlet(int its_pe, Pipe& its_pipe, std::size_t lines) : pe(its_pe), pipe(its_pipe, lines) {}
    int pe;
    PipeReader pipe;
  };

  void lay_out(MPI_Comm world, MPI_Comm host, MPI_Win window, std::size_t lines);
  const Reach& reach(int pe) const noexcept { return reach_[static_cast<std::size_t>(pe)]; }

  int self_ = 0;
  bool are_all_ = false;
  std::vector<Reach> reach_;  // by PE
  std::vector<std::unique_ptr<Inlet>> inlets_;
  std::size_t next_inlet_ = 0;
  std::atomic<std::uint32_t> counted_{0};
};

/// The processes of the PEs of `host`, if they can all read each other's memory. To be called by
/// all of them together.
Memory shared_memory(MPI_Comm world, MPI_Comm host);

}  // namespace trawl::fabric
