#include "profiles/report/shorter.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trawl::profile {
namespace {

/// Summed over the bins before each moment.
class Before {
 public:
  /// `of`: what is to be summed, of a bin of that length.
  template <class Of>
  Before(const Activity& activity, Of of) : activity_(activity) {
    for (std::size_t bin = 0; bin < activity.sum.size(); ++bin)
      sums_.push_back(sums_.back() + of(activity.sum[bin], activity.length(bin)));
  }

  /// Over all segments of the path in which threads ran.
  double of_runs(const Path& path) const {
    double sum = 0;
    for (const auto& segment : path.segments)
      if (segment.step == Step::run) sum += at(segment.end) - at(segment.begin);
    return sum;
  }

 private:
  double at(Nanos moment) const {
    const auto bins = static_cast<double>(activity_.sum.size());
    const double place = std::clamp(static_cast<double>(moment - activity_.from) /
                                        static_cast<double>(activity_.length()) * bins,
                                    0.0, bins);
    const auto bin = std::min(static_cast<std::size_t>(place), activity_.sum.size() - 1);
    return sums_[bin] + (place - static_cast<double>(bin)) * (sums_[bin + 1] - sums_[bin]);
  }

  const Activity& activity_;
  std::vector<double> sums_{0};
};

/// If threads that run were shared with those workers that are idle.
double with_idle_workers(const Path& path, const Activity& activity) {
  const double workers = activity.workers();
  return Before(activity,
                [=](const Bin& bin, double length) {
                  const double ran = std::clamp(bin.running / length, 1.0, std::max(1.0, workers));
                  return length * (1 - ran / std::max(ran, workers));
                })
      .of_runs(path);
}

/// While all workers run and have sparks, what is a thread's own would be others'.
double with_as_many_workers_more(const Path& path, const Activity& activity) {
  constexpr double all = 0.9;
  const double workers = activity.workers();
  return Before(activity,
                [=](const Bin& bin, double length) {
                  if (bin.running < all * workers * length) return 0.0;
                  return length / 2 * std::min(1.0, bin.sparks / length / workers);
                })
      .of_runs(path);
}

}  // namespace

Shorter shorter(const Path& path, const Activity& activity) {
  Shorter all;
  if (!path.known || activity.sum.empty()) return all;
  const auto time = [&path](Step step) { return path.time[static_cast<std::size_t>(step)]; };
  all.links = time(Step::travel) / 2;
  all.between = path.between;
  all.workers = std::max(path.held / 2, with_as_many_workers_more(path, activity)) +
                (time(Step::queue) - path.between) / 2;
  all.pieces = with_idle_workers(path, activity);
  return all;
}

}  // namespace trawl::profile
