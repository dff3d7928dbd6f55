#include "profiles/report/shorter.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trawl::profile {
namespace {

/// For each bin, what would be saved of all before it if threads that run were shared with those
/// workers that are idle.
std::vector<double> saved_before(const Activity& activity) {
  std::vector<double> saved{0};
  const double workers = activity.workers();
  for (std::size_t bin = 0; bin < activity.sum.size(); ++bin) {
    const double length = activity.length(bin);
    const double ran = std::clamp(activity.sum[bin].running / length, 1.0, std::max(1.0, workers));
    saved.push_back(saved.back() + length * (1 - ran / std::max(ran, workers)));
  }
  return saved;
}

}  // namespace

Shorter shorter(const Path& path, const Activity& activity) {
  Shorter all;
  if (!path.known || activity.sum.empty()) return all;
  const auto time = [&path](Step step) { return path.time[static_cast<std::size_t>(step)]; };
  all.links = time(Step::travel) / 2;
  all.between = path.between;
  all.workers = (path.held + time(Step::queue) - path.between) / 2;

  const auto saved = saved_before(activity);
  const double bins = static_cast<double>(activity.sum.size());
  const auto until = [&](Nanos moment) {
    const double at = std::clamp(
        static_cast<double>(moment - activity.from) / static_cast<double>(activity.length()) * bins,
        0.0, bins);
    const auto bin = std::min(static_cast<std::size_t>(at), activity.sum.size() - 1);
    return saved[bin] + (at - static_cast<double>(bin)) * (saved[bin + 1] - saved[bin]);
  };
  for (const auto& segment : path.segments)
    if (segment.step == Step::run) all.pieces += until(segment.end) - until(segment.begin);
  return all;
}

}  // namespace trawl::profile
