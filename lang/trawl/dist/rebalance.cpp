#include <algorithm>
#include <numeric>

#include <trawl/dist/rebalance.hpp>

namespace trawl::detail {

std::optional<Told> told_of(std::span<const sched::Site> sites, std::span<const Place> places,
                            std::span<const Shape> shapes) {
  Told told;
  auto& last = told.last;
  for (const auto& site : sites) {
    last.strengths.push_back(site.strength);
    last.workers.push_back(site.workers);
    last.rooms.push_back(room_of(site, sched::skeletons_between_copies()));
    last.clusters.push_back(site.cluster);
    if (site.pe == sched::pe_here()) last.here = last.clusters.size() - 1;
  }
  for (const auto& shape : shapes) {
    if (shape.failed) return {};
    told.counts.push_back(shape.count);
    told.bytes.push_back(static_cast<double>(shape.bytes));
    last.costs.push_back(static_cast<double>(shape.cost));
  }
  for (const auto place : places) {
    const auto site = std::find_if(sites.begin(), sites.end(),
                                   [&](const auto& each) { return each.pe == pe_of(place); });
    if (site == sites.end()) return {};
    last.owners.push_back(static_cast<std::size_t>(site - sites.begin()));
  }
  return told;
}

void note(const Rebalanced& plan, const Measured& last, std::span<const sched::Site> sites) {
  std::vector<sched::Decision::Part> parts;
  for (const auto& site : sites) parts.push_back({site.pe, 0, 0, 0});
  const double all = std::max(std::reduce(last.loads.begin(), last.loads.end()), 1e-300);
  for (std::size_t i = 0; i < last.loads.size(); ++i) {
    parts[last.owners[i]].before += last.loads[i] / all;
    auto& next = parts[plan.owners[i]];
    next.after += last.loads[i] / all;
    if (plan.owners[i] != last.owners[i]) ++next.come;
  }
  sched::note_decision({plan.before, plan.after, plan.bytes, plan.pays}, parts);
}

}  // namespace trawl::detail
