#include "profiles/report/diagnosis.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "profiles/report/wording.hpp"

namespace trawl::profile {
namespace {

constexpr double few_threads = 8;         // a worker
constexpr double many_sparks = 1000;      // a worker
constexpr double many_threads = 32;       // runnable ones a worker
constexpr double far = 3;                 // times as long as in the fastest place
constexpr double much_of_the_root = 0.3;  // of the run

std::string grow_sparks(const Facts& facts) {
  return facts.finest_function.empty()
             ? "make more sparks"
             : "make more and earlier sparks, or smaller pieces of " + facts.finest_function;
}

std::string larger_pieces(const std::string& function) {
  return fmt::format("make larger pieces{}: a chunk, or a cut-off",
                     function.empty() ? "" : " of " + function);
}

std::string smaller_pieces(const std::string& function) {
  if (function == root_name) return "spark what the root does, in more and smaller pieces";
  return fmt::format("make smaller pieces of {}", function);
}

bool link_is_far(const Facts& facts) {
  return facts.slow_link && facts.slow_link->latency > far * facts.slow_link->inside;
}

bool has_few_threads(const Facts& facts) {
  return static_cast<double>(facts.threads) < few_threads * facts.workers;
}

/// Fewer than could be spread, and one of them is a good part of the run.
bool has_few_long_threads(const Facts& facts) {
  return has_few_threads(facts) && facts.longest > 0.25 * facts.seconds;
}

class Diagnosis {
 public:
  explicit Diagnosis(const Facts& facts) : facts_(facts), shares_(facts.shares) {}

  std::vector<Finding> find() {
    slow_pe();
    full_pool();
    flooded();  // before collections, which come of it
    collection();
    link();
    start();
    tail();
    pieces();
    blocking();
    fine_threads();
    starved();
    apart();
    held();
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const auto& a, const auto& b) { return a.cost > b.cost; });
    return std::move(findings_);
  }

 private:
  void say(Limit limit, double cost, std::string evidence, std::string advice) {
    findings_.push_back({limit, cost, std::move(evidence), std::move(advice)});
  }

  // What it could have done of the others' work in its time, if it kept its promise.
  void slow_pe() {
    if (!facts_.slow_pe) return;
    const auto& slow = *facts_.slow_pe;
    const double cost = (1 - 1 / slow.ratio) / facts_.pes;
    if (shares_.idle() + cost < worth_saying) return;
    say(Limit::slow_pe,
        std::max(cost, facts_.tail_by && facts_.tail_by->pe == slow.pe ? shares_.tail : 0.0),
        fmt::format("PE {} is slow: {} takes {:.1f} times as long on it as its speed says ({} "
                    "threads compared with those of the other PEs)",
                    slow.pe, slow.function, slow.ratio, slow.threads),
        fmt::format("see what else runs on the host of PE {}, or leave it out", slow.pe));
  }

  // They are evaluated by who forces them, one after the other, while the others are idle.
  void full_pool() {
    constexpr double many = 0.05;
    const double cost = shares_.starved + shares_.tail + shares_.blocked;
    const auto ignored = static_cast<double>(facts_.sparks_ignored);
    if (cost < worth_saying || ignored < many * std::max(facts_.sparks_made, 1.0)) return;
    pool_was_full_ = true;
    say(Limit::full_pool, cost,
        fmt::format("{} of some {:.0f} sparks found no room in their worker's pool, and could be "
                    "evaluated only by who needed them, while workers had nothing to do for {} of "
                    "their time",
                    facts_.sparks_ignored, std::max(facts_.sparks_made, ignored), percent(cost)),
        "give pools more room (--trawl:spark-pool), or make fewer and larger pieces");
  }

  /// Nobody ran for long then, and links explain it.
  bool is_the_link(const std::optional<Culprit>& by) const {
    return link_limits_ && (!by || by->share < 0.5);
  }

  void collection() {
    if (shares_.gc < worth_saying) return;
    say(Limit::collection, shares_.gc,
        fmt::format("collections stopped the workers for {} of their time ({} of them, {} each)",
                    percent(shares_.gc), facts_.collections, time(facts_.collection)),
        "give it a larger heap (--trawl:heap, or --trawl:heap-max where that bounds it), or "
        "allocate less: arrays of numbers instead of linked values");
  }

  void start() {
    if (shares_.start < worth_saying || is_the_link(facts_.start_by)) return;
    auto evidence = fmt::format(
        "it started late: more than half of the workers ran only after {}, which cost {} of all "
        "workers' time",
        time(facts_.start_until), percent(shares_.start));
    if (facts_.start_by)
      evidence +=
          fmt::format("; until then {} ran for {} of the time on PE {}", facts_.start_by->function,
                      percent(facts_.start_by->share), facts_.start_by->pe);
    say(Limit::late_start, shares_.start, std::move(evidence),
        "spark before reading and preparing everything, or prepare in parallel");
  }

  /// More than a thread on the critical path, or what that waited for.
  bool is_the_runs_end() const {
    const double ran = facts_.tail_by ? facts_.tail_by->share : 0;
    return facts_.tail_ends > std::max(ran, (1 - ran) / 2);
  }

  void tail() {
    if (shares_.tail < worth_saying || is_the_link(facts_.tail_by) || pool_was_full_) return;
    const double length = facts_.seconds - facts_.tail_from;
    auto evidence = fmt::format(
        "it ended slowly: in the last {} no more than half of the workers ran, which "
        "cost {} of all workers' time",
        time(length), percent(shares_.tail));
    const auto& by = facts_.tail_by;
    if (facts_.pieces.lead && !is_the_runs_end()) return;  // see pieces()
    if (is_the_runs_end())
      return say(Limit::tail, shares_.tail,
                 evidence + fmt::format("; for {} of that the last thread of the critical path had "
                                        "ended, and nothing was left but to end the run",
                                        percent(facts_.tail_ends)),
                 "give it more to do: to end takes a run as long however much that is");
    if (!by)
      return say(Limit::tail, shares_.tail, std::move(evidence), "make the last pieces smaller");
    if (by->share < 0.1)
      return say(
          Limit::tail, shares_.tail,
          evidence + "; hardly a thread ran on the critical path then, which waited for values",
          "let fewer values come home at the end: a sum of many, not each of them");
    evidence += fmt::format("; {} ran then on PE {} for {} of it, up to {} at a time", by->function,
                            by->pe, percent(by->share), time(by->longest));
    const bool one_thread =
        by->longest > length / 2 && (by->function != root_name || has_few_threads(facts_));
    if (facts_.tail_speed < 0.7 * facts_.speed_mean && one_thread)
      return say(Limit::slow_pe, shares_.tail,
                 evidence + fmt::format(", whose speed is {:.2f} where the mean is {:.2f}",
                                        facts_.tail_speed, facts_.speed_mean),
                 smaller_pieces(by->function) + ", so that a slow PE is not left with one");
    if (one_thread || has_few_long_threads(facts_))
      return say(Limit::too_coarse, shares_.tail, std::move(evidence),
                 smaller_pieces(one_thread ? by->function : facts_.longest_function) +
                     ", or begin with the largest");
    say(Limit::tail, shares_.tail, std::move(evidence),
        smaller_pieces(by->function) + " towards the end, or begin with the largest");
  }

  static std::string what_it_carries(const SlowLink& link) {
    return fmt::format("; it can carry about {} a second, and was busy for {}", bytes(link.carries),
                       percent(link.busy));
  }

  // Whoever waits for a message that is long under way is idle, or has blocked threads.
  void link() {
    const double waits = shares_.idle();
    if (waits < worth_saying || !link_is_far(facts_) || facts_.path_travel + facts_.path_ends < 0.2)
      return;
    link_limits_ = true;
    const auto& link = *facts_.slow_link;
    const bool full = link.busy > 0.5;
    say(Limit::slow_link, waits,
        fmt::format("messages are long under way: one {} takes {} (median; one of a hundred more "
                    "than {}), {} where it is fastest{}; the critical path is such messages for "
                    "{}, and starting and ending for {}, while "
                    "workers were idle or had only blocked threads for {} of their time",
                    link_name(link.from, link.to), time(link.latency), time(link.slow),
                    time(link.inside), full ? what_it_carries(link) : "",
                    percent(facts_.path_travel), percent(facts_.path_ends), percent(waits)),
        full ? "send less: smaller results, or tasks that need less of what others have; or stay "
               "in one cluster"
        : facts_.path_ends > facts_.path_travel
            ? "give it more to do, or fewer PEs: it is over before those that are far have begun"
        : facts_.pieces.lead
            ? "let each PE have more data, do more between two exchanges, or stay in one cluster"
            : "make larger pieces, fish earlier (--trawl:low-watermark), and let packets carry "
              "more "
              "(--trawl:packet-size, --trawl:thunks-per-packet)");
  }

  // Of skeletons: each waits for others', and no other spark would help.
  void pieces() {
    const auto& all = facts_.pieces;
    const double at_the_end = is_the_runs_end() ? 0 : shares_.tail;
    const double cost = shares_.blocked + shares_.starved + shares_.apart + at_the_end;
    if (!all.lead || cost < worth_saying || link_limits_ || pool_was_full_) return;
    by_pieces_ = true;
    const auto evidence = fmt::format(
        "PEs waited for each other's pieces of skeletons for {} of their time: ", percent(cost));
    if (all.mean < facts_.way)
      return say(Limit::too_fine, cost,
                 evidence + fmt::format("one of {} ran for {} on average, and a message and its "
                                        "answer take {} under way",
                                        all.function, time(all.mean), time(facts_.way)),
                 "let each PE have more data, take fewer PEs, or do more between two exchanges");
    if (all.root_alone > much_of_the_root)
      return say(Limit::starved, cost,
                 evidence + fmt::format("the root ran for {} of the run beside those of its PE",
                                        percent(all.root_alone)),
                 "let skeletons do what the root does");
    if (all.its > uneven_from * all.each)
      return say(Limit::uneven, cost,
                 evidence + fmt::format("those of PE {} ran for {}, those of the mean PE for {}",
                                        all.busiest, time(all.its), time(all.each)),
                 "let shards move to where they are done sooner (iterate, rebalance), or make more "
                 "and smaller ones");
    say(Limit::blocking, cost,
        evidence +
            fmt::format(
                "PEs beside the root's have as much of them, one of {} ran for {} on average",
                all.function, time(all.mean)),
        "do more between two exchanges, or exchange less: what is reduced first is small");
  }

  void blocking() {
    if (by_pieces_) return;
    if (shares_.blocked < worth_saying || link_limits_ || pool_was_full_) return;
    auto evidence = fmt::format("PEs had nothing but blocked threads for {} of their time ({}",
                                percent(shares_.blocked), counted(facts_.blocks, "block"));
    if (!facts_.blocked_function.empty())
      evidence += fmt::format(", those of {} for longest", facts_.blocked_function);
    if (facts_.blocked_afar > 0)
      evidence += fmt::format("; {} of that time until a value came from another PE",
                              percent(facts_.blocked_afar));
    evidence += ")";
    if (facts_.path_known)
      evidence += fmt::format(
          "; the critical path goes {} times from PE to PE and {} times from a "
          "thread to one that waited for it",
          facts_.path_hops, facts_.path_wakes);
    say(Limit::blocking, shares_.blocked, std::move(evidence),
        "force later what others evaluate, and spark what does not depend on each other");
  }

  void fine_threads() {
    const bool here =
        facts_.threads != 0 && shares_.between >= worth_saying && facts_.thread_mean < fine;
    const double idle = shares_.apart + shares_.starved + shares_.blocked;
    const bool afar =
        !link_limits_ && facts_.imported > 16 && facts_.imported_mean < facts_.way &&
        idle >= worth_saying &&
        static_cast<double>(facts_.imported) > 0.25 * static_cast<double>(facts_.threads) &&
        !by_pieces_;
    const auto advice = larger_pieces(facts_.finest_function);
    if (here)
      say(Limit::too_fine, shares_.between,
          fmt::format("threads are too short: {} of them ran for {} on average, and workers spent "
                      "{} of their time between threads",
                      facts_.threads, time(facts_.thread_mean), percent(shares_.between)),
          advice);
    else if (afar)
      say(Limit::too_fine, idle,
          fmt::format("work is too small for the way: a spark from another PE ran for {} on "
                      "average, and a FISH and its answer take {} under way ({} such threads)",
                      time(facts_.imported_mean), time(facts_.way), facts_.imported),
          advice);
    far_fine_ = !here && afar;
  }

  std::string threads_for_workers() const {
    return counted(facts_.threads, "thread") + " for " +
           counted(static_cast<std::uint64_t>(facts_.workers), "worker");
  }

  void starved() {
    if (shares_.starved < worth_saying || far_fine_ || link_limits_ || pool_was_full_ || by_pieces_)
      return;
    auto evidence =
        fmt::format("workers had nothing to do for {} of their time while no PE had a spark",
                    percent(shares_.starved));
    if (has_few_long_threads(facts_))
      return say(Limit::too_coarse, shares_.starved,
                 evidence + fmt::format(": there {} {}, and one of {} ran for {} of {}",
                                        facts_.threads == 1 ? "was" : "were", threads_for_workers(),
                                        facts_.longest_function, time(facts_.longest),
                                        time(facts_.seconds)),
                 smaller_pieces(facts_.longest_function));
    evidence += " (" + threads_for_workers();
    if (facts_.fish != 0)
      evidence += fmt::format("; {} of {} FISH in vain", facts_.fish_in_vain, facts_.fish);
    if (facts_.path_known)
      evidence +=
          fmt::format("; {} of the critical path is threads that run", percent(facts_.path_run));
    say(Limit::starved, shares_.starved, evidence + ")", grow_sparks(facts_));
  }

  void apart() {
    if (shares_.apart < worth_saying || far_fine_ || link_limits_ || by_pieces_) return;
    const auto evidence = fmt::format(
        "workers had nothing to do for {} of their time while other PEs had sparks ({} "
        "FISH, {} in vain, {} on average)",
        percent(shares_.apart), facts_.fish, facts_.fish_in_vain, time(facts_.fish_time));
    say(Limit::fishing, shares_.apart, evidence,
        "fish earlier (--trawl:low-watermark), or try another --trawl:policy");
  }

  void held() {
    if (shares_.held < worth_saying || link_limits_) return;
    say(Limit::thread_limit, shares_.held,
        fmt::format("PEs that had as many threads as may live, blocked ones included, ran nothing "
                    "for {} of their time although there were sparks",
                    percent(shares_.held)),
        "raise --trawl:thread-limit, or block less: force later what others evaluate");
  }

  void flooded() {
    const double cost = shares_.between + shares_.gc;
    const bool threads = facts_.runnable > many_threads;
    const bool sparks = facts_.sparks > many_sparks && facts_.thread_mean < 5 * fine;
    if ((!threads && !sparks) || cost < worth_saying / 2) return;
    say(Limit::flooded, cost,
        fmt::format(
            "there was far more than the workers could do: {:.0f} sparks and {:.0f} runnable "
            "threads a worker on average, while {} of the time went into collections and "
            "between threads",
            facts_.sparks, facts_.runnable, percent(cost)),
        threads ? "bound threads (--trawl:thread-limit), and spark in larger pieces"
                : "spark in larger pieces, or as they are needed");
  }

  const Facts& facts_;
  const Shares& shares_;
  std::vector<Finding> findings_;
  bool pool_was_full_ = false;
  bool far_fine_ = false;
  bool link_limits_ = false;
  bool by_pieces_ = false;
};

}  // namespace

std::string_view name_of(Limit limit) {
  constexpr std::array<std::string_view, 14> names{
      "starved",     "flooded",      "too fine",  "too coarse",   "a slow PE",
      "a slow link", "collection",   "blocking",  "late start",   "tail",
      "fishing",     "thread limit", "full pool", "uneven shards"};
  return names[static_cast<std::size_t>(limit)];
}

std::vector<Finding> diagnose(const Facts& facts) {
  if (is_unknown(facts)) return {};
  return Diagnosis(facts).find();
}

}  // namespace trawl::profile
