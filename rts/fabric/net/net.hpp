// Messages by memory within a host and by TCP between hosts: PEs die and the others' messages still
// arrive.
#pragma once

#include <cstdint>
#include <string>

#include "rts/fabric/joined.hpp"
#include "rts/fabric/net/handshake.hpp"

namespace trawl::fabric {

/// How this PE is to find the others.
struct NetSetup {
  net::Terms terms;
  /// Where the main PE may be met, HOST:PORT or several of them with commas; empty: this is the
  /// main PE, or a launcher that speaks PMI 1 knows.
  std::string join{};
  /// The main PE's: the port it listens at, or fd:FILE[,FILE], a socket that its launcher has made
  /// and a pipe into which it writes fabric::News. Empty: any port.
  std::string meet{};
  int pes = 1;         ///< the main PE's: how many there are at first
  int seats = 1;       ///< ... and how many there may be in all, if more
  Nanos wait = never;  ///< so long others are waited for
};

/// Joins the PEs that are to be a run. All of them call this once; from then on the process ends by
/// `leave` only. Throws Error if they can't come together, or this PE was refused.
Joined make_net(const NetSetup& setup, std::uint64_t says);

}  // namespace trawl::fabric
