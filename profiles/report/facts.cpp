#include "profiles/report/facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace trawl::profile {
namespace {

constexpr std::size_t slots = 256;    // of time, in which it is looked at who was idle, and why
constexpr double few_sparks = 1;      // mean of a slot
constexpr double least_middle = 0.1;  // of the run; else neither start nor tail is told apart

/// Bins of one PE, or all, together.
std::vector<Bin> coarse(const std::vector<Bin>& bins) {
  std::vector<Bin> sums(std::min(slots, bins.size()));
  for (std::size_t i = 0; i < bins.size(); ++i) sums[i * sums.size() / bins.size()] += bins[i];
  return sums;
}

/// The slots in which more than half of the workers run for the first and the last time: [first,
/// second).
/// Everything, if most of what lies between is not busy.
std::pair<std::size_t, std::size_t> middle(const std::vector<Bin>& all, double length,
                                           int workers) {
  const double more_than_half = (0.5 * std::max(1, workers) + 0.01) * length;
  const auto runs = [=](const Bin& bin) { return bin.running >= more_than_half; };
  const auto first = std::find_if(all.begin(), all.end(), runs);
  const auto after = std::find_if(all.rbegin(), std::make_reverse_iterator(first), runs).base();
  const auto between = after - first;
  if (static_cast<double>(between) < least_middle * static_cast<double>(all.size()) ||
      std::count_if(first, after, runs) * 2 < between)
    return {0, all.size()};
  return {static_cast<std::size_t>(first - all.begin()),
          static_cast<std::size_t>(after - all.begin())};
}

/// Divides the time of all workers.
class Division {
 public:
  Division(const Activity& activity, Facts& facts)
      : facts_(facts),
        all_(coarse(activity.sum)),
        length_(static_cast<double>(activity.length()) / static_cast<double>(all_.size())) {
    std::tie(first_, after_) = middle(all_, length_, activity.workers());
    facts.start_until = static_cast<double>(first_) * length_ / 1e9;
    facts.tail_from = static_cast<double>(after_) * length_ / 1e9;
  }

  void add(const PeActivity& pe, const Activity& activity, double idle_noted) {
    const double workers = pe.header.workers;
    const auto bins = coarse(pe.bins);
    const double begin = static_cast<double>(std::max(pe.came, activity.from) - activity.from);
    const double end = static_cast<double>(std::min(pe.last, activity.to) - activity.from);
    Shares own;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const double slot = static_cast<double>(i) * length_;
      const double time = std::max(0.0, std::min(end, slot + length_) - std::max(begin, slot));
      const auto& bin = bins[i];
      own.gc += bin.gc * workers;
      const double rest = std::max(0.0, time * workers - bin.gc * workers);
      const double busy = std::min(bin.running, rest);  // spare workers share the others' cores
      own.busy += busy;
      const double idle = rest - busy;
      const bool any = all_[i].sparks / length_ >= few_sparks;
      const double held = any ? std::min(idle, bin.held) : 0;
      const double other = idle - held;
      const double blocked = std::min(other, bin.blocked_only * workers);
      own.held += held;
      if (i < first_) {
        own.start += other;
      } else if (i >= after_) {
        own.tail += other;
      } else if (any) {
        own.apart += other;
      } else {
        own.blocked += blocked;
        own.starved += other - blocked;
      }
    }
    // What was not noted as idle is between two threads, or before the first.
    const double middle = own.held + own.blocked + own.starved + own.apart;
    const double noted = std::max(0.0, idle_noted - own.start - own.tail);
    const double keep = middle > 0 ? std::min(1.0, noted / middle) : 1;
    own.between = middle * (1 - keep);
    for (auto* part : {&own.held, &own.blocked, &own.starved, &own.apart}) *part *= keep;
    sum(own);
  }

  void finish() {
    auto& shares = facts_.shares;
    const double total = shares.busy + shares.gc + shares.between + shares.idle();
    if (total <= 0) return;
    for (auto* part : parts(shares)) *part /= total;
  }

 private:
  static std::array<double*, 9> parts(Shares& s) {
    return {&s.busy, &s.gc,      &s.between, &s.start, &s.tail,
            &s.held, &s.blocked, &s.starved, &s.apart};
  }
  void sum(Shares own) {
    const auto from = parts(own);
    const auto to = parts(facts_.shares);
    for (std::size_t i = 0; i < from.size(); ++i) *to[i] += *from[i];
  }

  Facts& facts_;
  std::vector<Bin> all_;
  double length_;
  std::size_t first_ = 0, after_ = 0;
};

std::string name_of(const std::vector<FunctionAudit>& functions, std::uint32_t code) {
  for (const auto& function : functions)
    if (function.code == code) return function.called;
  return "not known";
}

/// Who ran most on the path between two times.
std::optional<Culprit> culprit(const Path& path, const std::vector<FunctionAudit>& functions,
                               double from, double to) {
  std::map<std::pair<std::uint32_t, int>, std::pair<double, double>> times;  // sum, longest
  for (const auto& segment : path.segments) {
    const double time = std::min(to, static_cast<double>(segment.end)) -
                        std::max(from, static_cast<double>(segment.begin));
    if (segment.step != Step::run || time <= 0) continue;
    auto& [sum, longest] = times[{segment.code, segment.pe}];
    sum += time;
    longest = std::max(longest, time);
  }
  const auto most = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return a.second.first < b.second.first;
  });
  if (most == times.end()) return std::nullopt;
  return Culprit{name_of(functions, most->first.first), most->first.second,
                 most->second.first / (to - from), most->second.second / 1e9};
}

/// Of the path between two times, which share lies after its last thread.
double share_of_end(const Path& path, double from, double to) {
  double time = 0;
  for (const auto& segment : path.segments)
    if (segment.step == Step::end)
      time += std::max(0.0, std::min(to, static_cast<double>(segment.end)) -
                                std::max(from, static_cast<double>(segment.begin)));
  return time / (to - from);
}

void judge_threads(const std::vector<FunctionAudit>& functions, const Granularity& granularity,
                   Facts& facts) {
  facts.imported = granularity.imported.number;
  facts.imported_mean = granularity.imported.mean() / 1e9;
  std::uint64_t most = 0;
  double blocked = 0;
  double afar = 0;
  double longest_blocked = 0;
  double ran = 0;
  double root = 0;  // it counts where nothing else ran nearly as long
  for (const auto& function : functions) {
    const auto longest = static_cast<double>(function.longest) / 1e9;
    if (function.code == root_code) {
      root = longest;
    } else if (longest > facts.longest) {
      facts.longest = longest;
      facts.longest_function = function.called;
    }
    facts.threads += function.ran_threads;
    ran += function.ran;
    if (function.ran_threads > most) {
      most = function.ran_threads;
      facts.finest_function = function.called;
    }
    facts.blocks += function.blocks;
    blocked += function.blocked;
    afar += function.blocked_afar;
    if (function.blocked > longest_blocked) {
      longest_blocked = function.blocked;
      facts.blocked_function = function.called;
    }
  }
  if (facts.threads != 0) facts.thread_mean = ran / static_cast<double>(facts.threads) / 1e9;
  facts.blocked_afar = blocked > 0 ? afar / blocked : 0;
  if (root > 1.5 * facts.longest) {
    facts.longest = root;
    facts.longest_function = root_name;
  }
}

double log_speed(const Activity& activity, int pe) {
  for (const auto& each : activity.pes)
    if (each.header.pe == pe) return std::log(each.header.speed);
  return 0;
}

/// Means of logarithms of a function's lengths, each as it would be on a PE of speed 1.
struct OnPe {
  int pe;
  double mean, error;
  std::uint64_t number;
  Lengths lengths;
};

/// Of the others, in which one may stand out.
struct Others {
  double mean = 0, deviation = 0;
  double within = 0;  ///< the deviation of single threads from their PE's mean

  Others(const std::vector<OnPe>& all, const OnPe& one) {
    double squares = 0;
    double threads = 0;
    for (const auto& other : all) {
      if (other.pe == one.pe) continue;
      mean += other.mean;
      squares += other.mean * other.mean;
      const auto number = static_cast<double>(other.number);
      within += other.error * other.error * number * number;
      threads += number;
    }
    const auto others = static_cast<double>(all.size() - 1);
    mean /= others;
    deviation = std::sqrt(std::max(0.0, squares / others - mean * mean));
    within = std::sqrt(within / threads);
  }
};

/// By how much the one stands out of the others, if it does; as a logarithm. PEs that share one
/// tree get pieces of different sizes, so it must do so clearly, and a few alike by chance are few.
double stands_out(const std::vector<OnPe>& all, const OnPe& one) {
  constexpr double sure = 4;  // standard deviations of the others, and errors of its own mean
  const Others others(all, one);
  const double more = one.mean - others.mean;
  const double error =
      std::max(one.error, others.within / std::sqrt(static_cast<double>(one.number)));
  return more > sure * std::max(others.deviation, error) ? more : 0;
}

/// Are its short and its long threads both longer than those of the others, by a good part of this?
/// A thief gets a batch of pieces that were made one after the other, and may be the long ones:
/// then others have some that are as long, or it has short ones as well.
bool throughout(const std::vector<OnPe>& all, const OnPe& one, double ratio) {
  constexpr double part = 0.5;  // of the logarithm
  Lengths others;
  for (const auto& other : all)
    if (other.pe != one.pe) others.add(other.lengths, 0);
  constexpr std::array shares{0.25, 0.99};  // a few may be long as a worker had to wait for a core
  return std::all_of(shares.begin(), shares.end(), [&](double share) {
    return one.lengths.quantile(share) - others.quantile(share) > part * ratio;
  });
}

/// A function, and the PEs that ran enough threads of it.
struct OnPes {
  const FunctionAudit* function;
  std::vector<OnPe> all;
};

std::vector<OnPes> comparable(const Activity& activity,
                              const std::vector<FunctionAudit>& functions) {
  constexpr std::uint64_t enough = 4;     // threads on each PE
  constexpr std::size_t enough_pes = 4;   // of which one may stand out
  constexpr std::size_t too_many = 4096;  // PEs: each is compared with all others
  std::vector<OnPes> found;
  for (const auto& function : functions) {
    std::vector<OnPe> all;
    for (const auto& [pe, lengths] : function.by_pe) {
      if (lengths.number < enough) continue;
      const double speed = log_speed(activity, pe);
      all.push_back({pe, lengths.mean() + speed, lengths.standard_error(), lengths.number, {}});
      all.back().lengths.add(lengths, speed);
    }
    if (all.size() >= enough_pes && all.size() <= too_many)
      found.push_back({&function, std::move(all)});
  }
  return found;
}

/// Is the PE slower than the others in all functions, by a good part of this? Else it is what it
/// was given that takes longer.
bool in_everything(const std::vector<OnPes>& functions, int pe, double ratio) {
  constexpr double part = 0.25;  // of the logarithm
  return std::all_of(functions.begin(), functions.end(), [=](const OnPes& each) {
    const auto one = std::find_if(each.all.begin(), each.all.end(),
                                  [pe](const OnPe& other) { return other.pe == pe; });
    return one == each.all.end() || one->mean - Others(each.all, *one).mean > part * ratio;
  });
}

std::optional<SlowPe> slowest(const Activity& activity,
                              const std::vector<FunctionAudit>& functions) {
  constexpr double worth = 1.6;
  std::optional<SlowPe> found;
  const auto compared = comparable(activity, functions);
  for (const auto& [function, all] : compared)
    for (const auto& one : all) {
      const double more = stands_out(all, one);
      const double ratio = std::exp(more);
      if (ratio > worth && (!found || ratio > found->ratio) && throughout(all, one, more) &&
          in_everything(compared, one.pe, more))
        found = SlowPe{one.pe, ratio, function->called, one.number};
    }
  return found;
}

std::optional<SlowLink> slowest(const Messages& messages) {
  constexpr std::uint64_t enough = 16;
  const Link* slow = nullptr;
  const Link* fast = nullptr;
  for (const auto& link : messages.links) {
    if (link.number < enough || link.median <= 0) continue;
    if (slow == nullptr || link.median > slow->median) slow = &link;
    if (fast == nullptr || link.median < fast->median) fast = &link;
  }
  if (slow == nullptr) return std::nullopt;
  return SlowLink{slow->from,       slow->to,      slow->median / 1e9, fast->median / 1e9,
                  slow->slow / 1e9, slow->carries, slow->busy};
}

void judge_path(const Path& path, Facts& facts) {
  facts.path_known = path.known;
  double all = 0;
  for (const auto time : path.time) all += time;
  if (!path.known || all <= 0) return;
  const auto share = [&](Step step) { return path.time[static_cast<std::size_t>(step)] / all; };
  facts.path_run = share(Step::run);
  facts.path_travel = share(Step::travel);
  facts.path_queue = share(Step::queue);
  facts.path_none = share(Step::none);
  facts.path_ends = share(Step::start) + share(Step::end);
  facts.path_hops = path.hops;
  facts.path_wakes = path.wakes;
}

void judge_fishing(const Fishing& fishing, Facts& facts) {
  Fishes all;
  for (const auto& [pair, fishes] : fishing.by_pe) all += fishes;
  facts.fish = all.asked;
  facts.fish_in_vain = all.in_vain;
  facts.fish_time = all.mean_time() / 1e9;
}

}  // namespace

Facts judge(const Activity& activity, const Fishing& fishing, const Granularity& granularity,
            const std::vector<FunctionAudit>& functions, const Path& path, const Messages& messages,
            const std::vector<double>& idle_noted) {
  Facts facts;
  const auto length = static_cast<double>(activity.length());
  facts.seconds = length / 1e9;
  facts.pes = static_cast<int>(activity.pes.size());
  facts.workers = activity.workers();
  Division division(activity, facts);
  double speeds = 0;
  Bin total;
  std::uint64_t collections = 0;
  double collected = 0;
  for (std::size_t i = 0; i < activity.pes.size(); ++i) {
    const auto& pe = activity.pes[i];
    division.add(pe, activity, idle_noted[i]);
    total += pe.total;
    collections += pe.events(trace::Kind::gc_begin);
    collected += pe.total.gc;
    speeds += pe.header.speed;
    facts.lost_logs += pe.complete ? 0 : 1;
  }
  division.finish();
  const double worker_time = length * facts.workers;
  facts.sparks = total.sparks / worker_time;
  facts.runnable = total.runnable / worker_time;
  facts.speed_mean = speeds / facts.pes;
  facts.collections = collections;
  if (collections != 0) facts.collection = collected / static_cast<double>(collections) / 1e9;

  const auto from = static_cast<double>(activity.from);
  if (facts.start_until > 0)
    facts.start_by = culprit(path, functions, from, from + facts.start_until * 1e9);
  if (facts.tail_from < facts.seconds) {
    facts.tail_by = culprit(path, functions, from + facts.tail_from * 1e9, from + length);
    if (activity.to >= activity.run_end)  // else the run goes on
      facts.tail_ends = share_of_end(path, from + facts.tail_from * 1e9, from + length);
  }
  if (facts.tail_by) facts.tail_speed = std::exp(log_speed(activity, facts.tail_by->pe));
  judge_threads(functions, granularity, facts);
  facts.pieces = judge_pieces(functions, facts.pes, facts.seconds);
  facts.slow_pe = slowest(activity, functions);
  // Little else runs there that could be compared.
  if (facts.slow_pe && facts.pieces.is_roots && facts.slow_pe->pe == facts.pieces.busiest)
    facts.slow_pe.reset();
  facts.slow_link = slowest(messages);
  if (!messages.links.empty()) facts.way = 2 * messages.links.front().median / 1e9;
  judge_path(path, facts);
  judge_fishing(fishing, facts);
  return facts;
}

}  // namespace trawl::profile
