#include "rts/host/share.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"
#include "rts/host/memory.hpp"
#include "rts/host/quota.hpp"

namespace trawl {
namespace {

constexpr double rounding = 1e-9;

// Processor time: another process on this core must not make it look slow.
double processor_seconds() {
  return static_cast<double>(processor_time()) * 1e-9;
}

/// The host as the operating system tells hwloc; only its cores, as more takes time to find. What
/// the processors themselves would tell, hwloc asks on each of them: it leaves all PEs on the last.
class Topology {
 public:
  Topology() {
    hwloc_topology_init(&topology_);
    hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                            HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                            HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
    hwloc_topology_load(topology_);
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// Those of its first thread; empty: they can't be known.
  Cores of(pid_t process) const {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(),
                                                                            &hwloc_bitmap_free);
    if (hwloc_get_proc_cpubind(topology_, process, set.get(), HWLOC_CPUBIND_THREAD) != 0) return {};
    Cores cores;
    for (int core = hwloc_bitmap_first(set.get()); core >= 0;
         core = hwloc_bitmap_next(set.get(), core))
      cores.push_back(static_cast<unsigned>(core));
    return cores;
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// The fastest of several short trials, rounded so that equal machines are equal.
double measure_speed() {
  constexpr std::uint64_t rounds = 200'000;
  double best = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const auto begin = processor_seconds();
    volatile std::uint64_t sink = 1;
    std::uint64_t x = sink;
    for (std::uint64_t i = 0; i < rounds; ++i) x = x * 6364136223846793005U + (x >> 33U);
    sink = x;
    const auto seconds = processor_seconds() - begin;
    if (seconds > 0) best = std::max(best, static_cast<double>(rounds) / seconds * 1e-6);
  }
  if (best <= 0) return 1;
  const auto grain = std::pow(10, std::floor(std::log10(best)) - 1);
  return std::round(best / grain) * grain;
}

double cores_for(const Cores& own, const std::vector<Cores>& all) {
  double sum = 0;
  for (const auto core : own) {
    const auto sharers = std::count_if(all.begin(), all.end(), [core](const Cores& cores) {
      return std::find(cores.begin(), cores.end(), core) != cores.end();
    });
    sum += 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(1, sharers));
  }
  return sum;
}

// A core that others share is not counted, part of a core that a group allows is.
int HostShare::workers(int most) const {
  const auto least = std::min(std::floor(cores + rounding), std::ceil(time - rounding));
  return static_cast<int>(std::clamp(least, 1.0, static_cast<double>(most)));
}

double HostShare::of_core(int workers) const {
  return std::min({1.0, cores / workers, time / workers});
}

double HostShare::speed(double of_core, int workers) const {
  return of_core * std::min(1.0, time / workers);
}

HostShare share_of_host(int pes, const std::vector<pid_t>& neighbours) {
  const Topology host;
  const auto own = host.of(getpid());
  std::vector<Cores> all{own};
  std::vector<std::string> processes{"self"};
  for (const auto process : neighbours) {
    if (process == getpid()) continue;
    const auto cores = host.of(process);
    all.push_back(cores.empty() ? own : cores);
    processes.push_back(std::to_string(process));
  }
  for (auto known = all.size(); known < static_cast<std::size_t>(pes); ++known) {
    all.push_back(own);
    processes.emplace_back("self");
  }
  return {own.empty() ? static_cast<double>(usable_cores()) / pes : cores_for(own, all),
          quota_share("self", processes),
          std::min(memory_of_host() / pes, memory_quota("self", processes))};
}

}  // namespace trawl
