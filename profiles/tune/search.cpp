#include "profiles/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

namespace tune {
namespace {

constexpr unsigned far_seeds = 1'000'000;  // those of the confirmation

/// One of a race, and what it has gained so far over the one that it runs against.
struct Runner {
  Setting setting;
  std::vector<double> logarithms;
  Interval gain{};
  bool runs = true;
};

class Search {
 public:
  Search(const Space& space, const Plan& plan, const Measure& measure,
         const std::function<void(const std::string&)>& say)
      : space_(space), plan_(plan), say_(say), measure_(remembered(measure, runs_)) {}

  Advice run() {
    const auto usual = tune::usual(space_);
    screen(usual);
    auto best = descend(usual);
    best = without_idle_words(best, usual);
    confirm(best, usual);
    advice_.runs = runs_;
    return std::move(advice_);
  }

 private:
  void tell(const std::string& what) {
    if (runs_ == told_) return;  // nothing had to be run for what was said last
    told_ = runs_;
    if (say_) say_(what + ", " + std::to_string(runs_) + " runs so far");
  }

  bool over(std::size_t more) {
    const auto kept = (plan_.another ? 3L : 2L) * plan_.confirming;
    const bool over = plan_.over() || runs_ + static_cast<long>(more) + kept > plan_.runs;
    advice_.cut_short |= over;
    return over;
  }

  /// All runners against `base`, seed by seed. Who can't win any more leaves; so does whose gain is
  /// known closely enough.
  void race(const Setting& base, std::vector<Runner>& runners) {
    for (int done = 0; done < plan_.most;) {
      const int next = done == 0 ? plan_.first : std::min(2, plan_.most - done);
      std::vector<Trial> trials;
      for (int i = done; i < done + next; ++i) {
        trials.push_back({base, plan_.seed + static_cast<unsigned>(i)});
        for (const auto& runner : runners)
          if (runner.runs) trials.push_back({runner.setting, trials.back().seed});
      }
      if (over(trials.size())) return;
      take(runners, measure_(trials), next);
      done += next;
      if (std::none_of(runners.begin(), runners.end(), [](const Runner& r) { return r.runs; }))
        return;
    }
  }

  void take(std::vector<Runner>& runners, const std::vector<double>& seconds, int rounds) {
    std::size_t at = 0;
    for (int round = 0; round < rounds; ++round) {
      const double base = seconds[at++];
      for (auto& runner : runners)
        if (runner.runs) runner.logarithms.push_back(std::log(seconds[at++] / base));
    }
    for (auto& runner : runners)
      if (runner.runs) {
        runner.gain = gain(runner.logarithms, plan_.confidence);
        runner.runs = undecided(runner.gain);
      }
  }

  bool undecided(const Interval& gain) const {
    const bool lost = gain.high < plan_.worth;
    const bool narrow = gain.high - gain.low < 2 * plan_.close;
    return !lost && !narrow;
  }

  /// Each level of each factor by itself.
  void screen(const Setting& usual) {
    std::vector<Runner> runners;
    for (std::size_t factor = 0; factor < space_.size(); ++factor)
      for (std::size_t level = 0; level < space_[factor].levels.size(); ++level) {
        if (level == space_[factor].usual) continue;
        auto setting = usual;
        setting[factor] = level;
        runners.push_back({setting, {}});
        advice_.effects.push_back({factor, level, {}, 0});
      }
    tell("each of " + std::to_string(runners.size()) + " other levels by itself");
    race(usual, runners);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      advice_.effects[i].gain = runners[i].gain;
      advice_.effects[i].runs = static_cast<int>(runners[i].logarithms.size());
    }
  }

  /// The factors, those first that gain most by themselves.
  std::vector<std::size_t> order() const {
    std::vector<double> best(space_.size(), -std::numeric_limits<double>::infinity());
    for (const auto& effect : advice_.effects)
      if (effect.runs > 0) best[effect.factor] = std::max(best[effect.factor], effect.gain.mean);
    std::vector<std::size_t> order(space_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&best](auto a, auto b) { return best[a] > best[b]; });
    return order;
  }

  bool hopeful(std::size_t factor, std::size_t level) const {
    if (level == space_[factor].usual) return true;
    for (const auto& effect : advice_.effects)
      if (effect.factor == factor && effect.level == level)
        return effect.runs > 0 && effect.gain.high > -plan_.hopeless;
    return false;
  }

  /// Factor by factor, the level that is best with what is chosen so far, until nothing changes.
  Setting descend(Setting setting) {
    constexpr int most_rounds = 3;
    bool changed = true;
    for (int round = 0; changed && round < most_rounds; ++round) {
      changed = false;
      for (const auto factor : order()) {
        tell("combining: " + space_[factor].name);
        const auto level = best_level(setting, factor);
        changed |= level != setting[factor];
        setting[factor] = level;
      }
    }
    return setting;
  }

  std::size_t best_level(const Setting& setting, std::size_t factor) {
    std::vector<Runner> runners;
    for (std::size_t level = 0; level < space_[factor].levels.size(); ++level) {
      if (level == setting[factor] || !hopeful(factor, level)) continue;
      auto other = setting;
      other[factor] = level;
      runners.push_back({other, {}});
    }
    race(setting, runners);
    auto level = setting[factor];
    double most = 0;
    for (const auto& runner : runners)
      if (!runner.logarithms.empty() && runner.gain.low > 0 && runner.gain.mean > most) {
        most = runner.gain.mean;
        level = runner.setting[factor];
      }
    return level;
  }

  /// A word of the advice that gains less than what is worth it, is none.
  Setting without_idle_words(Setting setting, const Setting& usual) {
    for (const auto factor : order()) {
      if (setting[factor] == usual[factor]) continue;
      auto without = setting;
      without[factor] = usual[factor];
      std::vector<Runner> runners{{setting, {}}};
      tell("without " + space_[factor].name);
      race(without, runners);
      if (runners.front().logarithms.empty() || runners.front().gain.low < plan_.worth)
        setting = without;
    }
    return setting;
  }

  /// By other seeds than those by which it was chosen: else it would look better than it is.
  void confirm(const Setting& best, const Setting& usual) {
    tell("the advice against the defaults");
    std::vector<Trial> trials;
    for (int i = 0; i < plan_.confirming; ++i)
      for (const auto& setting : {usual, best})
        trials.push_back({setting, plan_.seed + far_seeds + static_cast<unsigned>(i)});
    const auto seconds = measure_(trials);
    std::vector<double> logarithms;
    double before = 0, after = 0;
    for (std::size_t i = 0; i < seconds.size(); i += 2) {
      before += seconds[i] / plan_.confirming;
      after += seconds[i + 1] / plan_.confirming;
      logarithms.push_back(std::log(seconds[i + 1] / seconds[i]));
    }
    const auto confirmed = gain(logarithms, plan_.confidence);
    bool better = best != usual && confirmed.low > plan_.worth;
    if (better && plan_.another) {
      const auto there = elsewhere(best, usual);
      if (there.low < -plan_.tolerated) {
        advice_.fragile = {best, confirmed, there};
        better = false;
      }
    }
    advice_.setting = better ? best : usual;
    advice_.gain = better ? confirmed : Interval{};
    advice_.usual = before;
    advice_.taken = better ? after : before;
  }

  Interval elsewhere(const Setting& best, const Setting& usual) {
    tell("the advice in another world");
    const auto measure = remembered(plan_.another, runs_);
    constexpr double lost = -std::numeric_limits<double>::infinity();
    return compare(best, usual, plan_.seed + far_seeds, plan_.confirming / 2, plan_.confidence,
                   measure)
        .value_or(Interval{lost, lost, lost});
  }

  const Space& space_;
  const Plan& plan_;
  const std::function<void(const std::string&)>& say_;
  long runs_ = 0;
  long told_ = -1;
  Measure measure_;
  Advice advice_;
};

}  // namespace

Advice advise(const Space& space, const Plan& plan, const Measure& measure,
              const std::function<void(const std::string&)>& say) {
  return Search(space, plan, measure, say).run();
}

std::optional<Interval> compare(const Setting& one, const Setting& other, unsigned seed, int runs,
                                double confidence, const Measure& measure) {
  std::vector<Trial> trials;
  for (int i = 0; i < runs; ++i)
    for (const auto& setting : {other, one})
      trials.push_back({setting, seed + static_cast<unsigned>(i)});
  const auto seconds = measure(trials);
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < seconds.size(); i += 2)
    if (std::isfinite(seconds[i])) logarithms.push_back(std::log(seconds[i + 1] / seconds[i]));
  if (logarithms.size() < 2) return std::nullopt;
  return gain(logarithms, confidence);
}

Measure remembered(Measure measure, long& runs) {
  auto known = std::make_shared<std::map<Trial, double>>();
  return [known, measure = std::move(measure), &runs](std::span<const Trial> trials) {
    std::vector<Trial> unknown;
    for (const auto& trial : trials)
      if (known->emplace(trial, 0).second) unknown.push_back(trial);
    const auto seconds = measure(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) (*known)[unknown[i]] = seconds[i];
    runs += static_cast<long>(unknown.size());
    std::vector<double> all;
    for (const auto& trial : trials) all.push_back(known->at(trial));
    return all;
  };
}

}  // namespace tune
