// What the page's timeline is drawn from: bins for whoever looks at much, single slices for whoever
// looks closely. Both are bounded, however long the log is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/report/longest.hpp"
#include "profiles/report/slices.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// So many bins of all lanes together; so many slices.
inline constexpr std::size_t most_cells = std::size_t{1} << 19U;
inline constexpr std::size_t most_slices_drawn = 20'000;
/// More PEs are drawn as groups of neighbours; of more workers than this, none has a lane.
inline constexpr int most_lanes = 512;

/// A power of two: so many bins for so many PEs and workers.
std::size_t bins_for(std::size_t lanes);

/// A worker's time in a bin: for how much of it threads ran, and of which function most did.
struct WorkerBin {
  float ran = 0;  ///< ns
  float lead = 0;
  std::uint32_t code = unknown;
};

struct WorkerLane {
  int pe = 0;
  int worker = 0;
  std::vector<WorkerBin> bins;
};

struct DrawnSlice : Slice {
  std::uint32_t lane = 0;
};

/// Fills the lanes of a window of time, PE after PE.
class Timeline {
 public:
  Timeline(Nanos from, Nanos to, std::size_t bins, const std::vector<LogFile>& logs);

  void see(int pe, const Slice& slice);

  const std::vector<WorkerLane>& lanes() const { return lanes_; }
  std::uint64_t slices() const { return longest_.seen(); }
  std::vector<DrawnSlice> drawn() { return longest_.take(); }

 private:
  static constexpr std::size_t tiles = 64;  // of time, each of which shows some of its slices

  Nanos from_, to_;
  std::size_t bins_;
  std::vector<WorkerLane> lanes_;
  std::vector<std::size_t> first_lane_;  // by PE
  Longest<DrawnSlice> longest_;
};

}  // namespace trawl::profile
