// Whether data of skeletons should lie on all PEs, or near: in the cluster of who balances them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <trawl/inline/effort.hpp>

namespace trawl::detail {

/// How long a step took, and how much of that its slowest PE computed.
struct StepTook {
  double time = 0;  // ns
  double busy = 1;  // share
};

/// What steps took is measured; what the other choice would take is reckoned from that, and tried:
/// if it is no better, that is known from then on.
struct Spreading {
  sched::Effort begun{};  // when the data were balanced last
  double far_time = 0;    // what the last step on all PEs took; 0: not known
  double far_waits = 0;   // of that, ns in which nobody computed: for links
  bool is_near = false;
  bool stays_far = false;   // near was worse
  std::uint32_t trial = 0;  // steps until it is known; the data are on their way in the first

  static constexpr double worth_it = 0.9;

  /// What a step would take near, by strengths of all and of near PEs, if waiting is for far ones.
  static double time_near(const StepTook& step, double all, double near) {
    return step.time * step.busy * all / near;
  }

  bool should_gather(const StepTook& step, double all, double near) const {
    return !is_near && !stays_far && time_near(step, all, near) < worth_it * step.time;
  }
  void gather(const StepTook& step) {
    far_time = step.time;
    far_waits = step.time * (1 - step.busy);
    is_near = true;
    trial = 2;
  }

  /// The trial has failed; or there is so much to do by now that far PEs are worth their links.
  bool should_spread(const StepTook& step, double all, double near) const {
    if (!is_near || trial > 1) return false;
    if (trial == 1) return step.time > worth_it * far_time;
    return step.time * near / all + far_waits < worth_it * step.time;
  }
  void spread() {
    stays_far = trial != 0;
    is_near = false;
    trial = 0;
  }
  void keep() { trial -= trial != 0; }
};

/// Of how long the slowest place worked on the last skeleton, and of how busy `here` was all along.
inline double busy_share(std::span<const double> costs, std::span<const std::size_t> owners,
                         std::span<const double> workers, std::size_t here, double busy_here) {
  std::vector<double> times(workers.size());
  for (std::size_t i = 0; i < costs.size(); ++i) times[owners[i]] += costs[i] / workers[owners[i]];
  if (!(times[here] > 0)) return 1;
  return std::min(1.0, busy_here * *std::max_element(times.begin(), times.end()) / times[here]);
}

}  // namespace trawl::detail
