// Finding levels that make a program faster, with few runs: races whose runners differ in one
// factor, from the defaults on. Pure: what is measured is given from outside.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/tune/interval.hpp"
#include "profiles/tune/space.hpp"

namespace tune {

/// One run.
struct Trial {
  Setting setting;
  unsigned seed = 0;

  friend bool operator<(const Trial& a, const Trial& b) {
    return a.seed != b.seed ? a.seed < b.seed : a.setting < b.setting;
  }
};

/// Seconds of each, in their order; infinite: it was given up. The same trial takes the same time.
using Measure = std::function<std::vector<double>(std::span<const Trial>)>;

struct Plan {
  unsigned seed = 1;         ///< of the first run; others follow
  int first = 4;             ///< runs of a setting before it can leave a race
  int most = 12;             ///< runs of a setting in a race
  int confirming = 12;       ///< runs of what is advised, by seeds that it was not chosen by
  double confidence = 0.95;  ///< of intervals
  double worth = 0.005;      ///< a gain that is less is none
  double close = 0.0025;     ///< an interval is narrow if it reaches no further to each side
  double hopeless = 0.02;    ///< a loss that no other choice makes good
  long runs = 1500;          ///< at most
  double tolerated = 0.01;   ///< a loss in `another`
  Measure another;  ///< world, in which what is advised may not lose; none: it is not asked
  std::function<bool()> over = [] { return false; };  ///< no time is left
};

/// What one level does, all else as by default.
struct Effect {
  std::size_t factor = 0, level = 0;
  Interval gain;
  int runs = 0;
};

struct Advice {
  Setting setting;   ///< the defaults, if nothing is better
  Interval gain;     ///< confirmed
  double usual = 0;  ///< seconds by default, mean
  double taken = 0;  ///< as advised
  /// What is better, but not in `another`, and so is not advised.
  struct Fragile {
    Setting setting;
    Interval gain, another;
  };
  std::optional<Fragile> fragile;
  std::vector<Effect> effects;
  long runs = 0;
  bool cut_short = false;  ///< runs or time were used up
};

/// `say` is told what is being done, for people that wait.
Advice advise(const Space& space, const Plan& plan, const Measure& measure,
              const std::function<void(const std::string&)>& say = {});

/// The gain of one setting over another, by `runs` seeds from `seed` on; of what could be measured.
std::optional<Interval> compare(const Setting& one, const Setting& other, unsigned seed, int runs,
                                double confidence, const Measure& measure);

/// Each trial once.
Measure remembered(Measure measure, long& runs);

}  // namespace tune
