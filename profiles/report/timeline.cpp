#include "profiles/report/timeline.hpp"

#include <algorithm>

namespace trawl::profile {
namespace {

constexpr std::size_t no_lane = ~std::size_t{0};

std::size_t workers_of(const std::vector<LogFile>& logs) {
  std::size_t workers = 0;
  for (const auto& log : logs) workers += static_cast<std::size_t>(log.header.workers);
  return workers <= most_lanes ? workers : 0;
}

/// After Boyer and Moore's vote: whoever has more than half is found.
void vote(WorkerBin& bin, std::uint32_t code, float time) {
  bin.ran += time;
  if (bin.code == code) {
    bin.lead += time;
  } else if (bin.lead >= time) {
    bin.lead -= time;
  } else {
    bin.lead = time - bin.lead;
    bin.code = code;
  }
}

}  // namespace

std::size_t bins_for(std::size_t lanes) {
  std::size_t bins = 16384;
  while (bins > 256 && bins * lanes > most_cells) bins /= 2;
  return bins;
}

Timeline::Timeline(Nanos from, Nanos to, std::size_t bins, const std::vector<LogFile>& logs)
    : from_(from), to_(to), bins_(bins), longest_(workers_of(logs) * tiles, most_slices_drawn) {
  const bool drawn = workers_of(logs) != 0;
  for (const auto& log : logs) {
    const auto pe = static_cast<std::size_t>(log.header.pe);
    first_lane_.resize(std::max(first_lane_.size(), pe + 1), no_lane);
    if (!drawn) continue;
    first_lane_[pe] = lanes_.size();
    for (int worker = 0; worker < log.header.workers; ++worker)
      lanes_.push_back({log.header.pe, worker, std::vector<WorkerBin>(bins)});
  }
}

void Timeline::see(int pe, const Slice& slice) {
  const auto first = first_lane_[static_cast<std::size_t>(pe)];
  const auto begin = std::max(slice.begin, from_);
  const auto end = std::min(slice.end, to_);
  const auto lane = first + slice.worker;
  if (first == no_lane || begin > end || lane >= lanes_.size() || lanes_[lane].pe != pe) return;

  const double width = static_cast<double>(to_ - from_) / static_cast<double>(bins_);
  const auto from = static_cast<double>(begin - from_) / width;
  const auto to = static_cast<double>(end - from_) / width;
  for (auto bin = static_cast<std::size_t>(from); bin < bins_ && static_cast<double>(bin) < to;
       ++bin) {
    const auto share =
        std::min(to, static_cast<double>(bin + 1)) - std::max(from, static_cast<double>(bin));
    vote(lanes_[lane].bins[bin], slice.code, static_cast<float>(share * width));
  }

  DrawnSlice drawn{slice, static_cast<std::uint32_t>(lane)};
  const auto tile = std::min<std::size_t>(
      tiles - 1, static_cast<std::size_t>(from / static_cast<double>(bins_) * tiles));
  longest_.add(lane * tiles + tile, drawn);
}

}  // namespace trawl::profile
