// The adviser: its search, against programs that there are none of, and what it makes of grids and
// recordings.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "profiles/tune/grain.hpp"
#include "profiles/tune/interval.hpp"
#include "profiles/tune/levels.hpp"
#include "profiles/tune/result.hpp"
#include "profiles/tune/search.hpp"
#include "rts/fabric/grid_file.hpp"
#include "rts/options/flags.hpp"
#include "rts/trace/record.hpp"

namespace tune {
namespace {

/// Seconds that a setting really takes.
using Truth = std::function<double(const Setting&)>;

/// What is measured: seeds have something in common, and each run differs a little.
class Noisy {
 public:
  Noisy(Truth truth, double of_seeds, double of_runs, unsigned world)
      : truth_(std::move(truth)), of_seeds_(of_seeds), of_runs_(of_runs), world_(world) {}

  std::vector<double> operator()(std::span<const Trial> trials) const {
    std::vector<double> seconds;
    for (const auto& trial : trials) {
      std::vector<std::size_t> words{world_, trial.seed};
      const double common = of_seeds_ * normal(words);
      words.insert(words.end(), trial.setting.begin(), trial.setting.end());
      words.push_back(1);
      seconds.push_back(truth_(trial.setting) * std::exp(common + of_runs_ * normal(words)));
    }
    return seconds;
  }

 private:
  static double normal(const std::vector<std::size_t>& words) {
    std::seed_seq seed(words.begin(), words.end());
    std::mt19937_64 random(seed);
    return std::normal_distribution<double>()(random);
  }

  Truth truth_;
  double of_seeds_, of_runs_;
  unsigned world_;
};

Space space_of(const std::vector<std::size_t>& levels) {
  Space space;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    space.push_back({"f" + std::to_string(i), {}, levels[i] / 2});
    for (std::size_t level = 0; level < levels[i]; ++level)
      space.back().levels.push_back(std::to_string(level));
  }
  return space;
}

TEST(Tune, AnIntervalHoldsTheGainAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(std::log(0.95), 0.02);
  int held = 0;
  constexpr int tries = 2000;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> logarithms(6);
    for (auto& each : logarithms) each = noise(random);
    const auto found = gain(logarithms, 0.95);
    held += found.low <= 0.05 && 0.05 <= found.high;
  }
  EXPECT_GT(held, tries * 0.935);
  EXPECT_LT(held, tries * 0.965);
}

TEST(Tune, WhatWasGivenUpIsALoss) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_LT(gain(std::vector<double>{0.0, infinite}, 0.95).high, 0);
}

// A bowl about a place that is not the default, and a factor that does nothing.
TEST(Tune, TheBestIsFound) {
  const auto space = space_of({5, 4, 7, 3});
  const auto truth = [](const Setting& s) {
    const auto off = [](std::size_t level, double best) { return std::abs(double(level) - best); };
    return 10 * (1 + 0.03 * off(s[0], 4)) * (1 + 0.05 * off(s[1], 1)) * (1 + 0.02 * off(s[2], 5));
  };
  int found = 0;
  for (unsigned world = 0; world < 20; ++world) {
    const auto advice = advise(space, {}, Noisy(truth, 0.1, 0.01, world));
    const double left = truth(advice.setting) / 10 - 1;
    found += left < 0.025;
    EXPECT_LT(truth(advice.setting), truth(usual(space)));
    EXPECT_EQ(advice.setting[3], space[3].usual) << "a word for nothing";
    const double gained = 1 - truth(advice.setting) / truth(usual(space));
    EXPECT_NEAR(advice.gain.mean, gained, 0.02);
  }
  EXPECT_GE(found, 19);
}

TEST(Tune, WhatHelpsOnlyWithSomethingElseIsFound) {
  const auto space = space_of({2, 2});  // both by default at level 1
  const auto truth = [](const Setting& s) {
    if (s[0] == 0 && s[1] == 0) return 8.0;
    return s[0] == 0 ? 9.5 : s[1] == 0 ? 10.05 : 10.0;
  };
  EXPECT_EQ(advise(space, {}, Noisy(truth, 0.1, 0.003, 1)).setting, (Setting{0, 0}));
}

TEST(Tune, WhereNothingHelpsTheDefaultsAreAdvised) {
  const auto space = space_of({5, 5, 5, 7});
  for (unsigned world = 0; world < 50; ++world) {
    const auto advice =
        advise(space, {}, Noisy([](const Setting&) { return 1.0; }, 0.1, 0.02, world));
    EXPECT_EQ(advice.setting, usual(space)) << world;
    EXPECT_EQ(advice.gain.mean, 0);
  }
}

// Random effects, half of them losses.
TEST(Tune, NothingWorseIsAdvised) {
  const auto space = space_of({4, 4, 4, 4});
  std::mt19937_64 random(7);
  std::normal_distribution<double> effect(0, 0.02);
  for (unsigned world = 0; world < 60; ++world) {
    std::vector<std::vector<double>> effects(space.size(), std::vector<double>(4));
    for (auto& of_factor : effects)
      for (auto& each : of_factor) each = effect(random);
    const auto truth = [&](const Setting& s) {
      double sum = 0;
      for (std::size_t i = 0; i < s.size(); ++i) sum += effects[i][s[i]];
      return std::exp(sum);
    };
    const auto advice = advise(space, {}, Noisy(truth, 0.1, 0.03, world));
    EXPECT_LE(truth(advice.setting), truth(usual(space))) << world;
  }
}

TEST(Tune, WhatIsWorseInAnotherWorldIsNotAdvised) {
  const auto space = space_of({2, 2});
  Plan plan;
  const auto truth = [](const Setting& s) { return s[0] == 0 ? 8.0 : 10.0; };
  for (const double loss : {0.0, 0.1}) {
    plan.another =
        Noisy([loss](const Setting& s) { return s[0] == 0 ? 1 + loss : 1.0; }, 0.1, 0.002, 2);
    const auto advice = advise(space, plan, Noisy(truth, 0.1, 0.002, 1));
    EXPECT_EQ(advice.fragile.has_value(), loss > 0);
    EXPECT_EQ(advice.setting == usual(space), loss > 0);
  }
}

TEST(Tune, ClearCasesTakeFewRuns) {
  const auto space = space_of({5, 5, 5});
  const Plan plan;
  const auto bad = [&space](const Setting& s) { return s == usual(space) ? 1.0 : 1.2; };
  const auto advice = advise(space, plan, Noisy(bad, 0.1, 0.001, 1));
  EXPECT_EQ(advice.setting, usual(space));
  EXPECT_EQ(advice.runs, plan.first * (1 + 3 * 4) + plan.confirming);
  EXPECT_FALSE(advice.cut_short);
}

TEST(Tune, TheBudgetIsKept) {
  const auto space = space_of({5, 5, 5, 7});
  for (const long runs : {30L, 60L, 100L, 200L, 400L}) {
    Plan plan;
    plan.runs = runs;
    long made = 0;
    const Noisy noisy([](const Setting& s) { return 1 - 0.01 * double(s[0]); }, 0.1, 0.02, 3);
    const auto advice = advise(space, plan, [&](std::span<const Trial> trials) {
      made += static_cast<long>(trials.size());
      return noisy(trials);
    });
    EXPECT_LE(made, runs);
    EXPECT_EQ(made, advice.runs);
    if (runs < 100) {
      EXPECT_TRUE(advice.cut_short) << runs;
    }
  }
}

TEST(Tune, TheSameSeedFindsTheSame) {
  const auto space = space_of({5, 4, 7, 3});
  const Noisy noisy([](const Setting& s) { return 1 + 0.01 * double(s[2]); }, 0.1, 0.02, 3);
  const auto one = advise(space, {}, noisy), other = advise(space, {}, noisy);
  EXPECT_EQ(one.setting, other.setting);
  EXPECT_EQ(one.gain.mean, other.gain.mean);
  EXPECT_EQ(one.runs, other.runs);
}

TEST(Tune, DefaultsAreTheRuntimes) {
  for (const auto& factor : flags_to_try({})) {
    const auto* flag = trawl::find_flag(factor.name);
    ASSERT_NE(flag, nullptr) << factor.name;
    EXPECT_EQ(factor.levels[factor.usual], flag->shown(trawl::Options{}));
    for (const auto& level : factor.levels) {
      std::vector<std::string> args{"program", "--trawl:" + factor.name + "=" + level};
      EXPECT_NO_THROW(trawl::take_options(args)) << level;
    }
  }
  for (const auto& factor : flags_to_try({"--trawl:policy=rs"})) EXPECT_NE(factor.name, "policy");
}

TEST(Tune, WhatIsRefusedBesideWhatIsFixedIsNotTried) {
  for (const auto& factor : flags_to_try({"--trawl:fish-delay-max=500"})) {
    EXPECT_EQ(factor.levels[factor.usual], trawl::find_flag(factor.name)->shown(trawl::Options{}));
    if (factor.name == "fish-delay") {
      EXPECT_EQ(std::count(factor.levels.begin(), factor.levels.end(), "1000"), 0);
    }
  }
}

TEST(Tune, HostsAreDividedIntoPes) {
  const auto grid = nlohmann::json::parse(R"({
    "between": {"latency": "1 ms", "bandwidth": "1 MB/s"},
    "clusters": [{"name": "a", "pes": 2, "workers": 4}, {"name": "b", "pes": 1, "workers": 2}],
    "speed_changes": [{"pe": 1, "at": "1 s", "speed": 0.5}], "deaths": [{"pe": 2, "at": "2 s"}]})");
  const auto all = layouts(grid);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].name, "2");
  EXPECT_EQ(all[2].name, "each core");
  for (const auto& layout : all) {
    const auto read = trawl::fabric::parse_grid(layout.grid.dump(), layout.name);
    int workers = 0;
    for (const auto& cluster : read.clusters) workers += cluster.pes * cluster.workers;
    EXPECT_EQ(workers, 10);
  }
  const auto cores = trawl::fabric::parse_grid(all[2].grid.dump(), "cores");
  ASSERT_EQ(cores.pes(), 10);
  ASSERT_EQ(cores.speed_changes.size(), 4U);
  EXPECT_EQ(cores.speed_changes.front().pe, 4);
  EXPECT_EQ(cores.speed_changes.back().pe, 7);
  ASSERT_EQ(cores.changes.size(), 2U);
  EXPECT_EQ(cores.changes.front().pe, 8);
  EXPECT_EQ(layouts(nlohmann::json::parse(R"({"clusters": [{"name": "a", "pes": 2}]})")).size(),
            1U);
}

replay::Graph recorded(replay::Grain grain) {
  const auto file = (std::filesystem::path(testing::TempDir()) / std::to_string(getpid())).string();
  trawl::trace::Record record(file, "test");
  record.name("fine");
  record.name("coarse");
  constexpr trawl::Nanos us = 1000;
  for (int i = 0; i < 10; ++i) {
    const auto fine = record.par();
    record.force(fine, 100, 1);
    record.work(20 * us);
    record.end(8);
  }
  const auto coarse = record.spawn();
  record.sync(coarse, 50, 2);
  const auto inner = record.spawn();
  record.work(5000 * us);
  record.sync(inner, 50, 2);
  record.work(5000 * us);
  record.end(8);
  record.end(8);
  record.close();
  auto graph = replay::read_recording(file, grain);
  std::filesystem::remove(file);
  return graph;
}

TEST(Tune, FunctionsAreJudgedByTheirSparks) {
  const SparkCosts costs{1e-9, 10e-9, 100e-6, 8e-3, 0, 0};
  const auto found = grains(recorded({}), {}, costs);
  ASSERT_EQ(found.size(), 2U);
  const auto &coarse = found[0], &fine = found[1];
  EXPECT_EQ(coarse.function, "coarse");
  EXPECT_EQ(coarse.sparks, 2U);
  EXPECT_NEAR(coarse.shortest, 5e-3, 1e-9);
  EXPECT_NEAR(coarse.longest, 10e-3, 1e-9);
  EXPECT_EQ(coarse.near_pays, 1);
  EXPECT_EQ(coarse.far_pays, 0.5);
  EXPECT_EQ(verdict(coarse, 10.2e-3), "pays");
  EXPECT_EQ(fine.function, "fine");
  EXPECT_EQ(fine.sparks, 10U);
  EXPECT_EQ(fine.near_pays, 0);
  EXPECT_NE(verdict(fine, 10.2e-3), "pays");
}

TEST(Tune, AFileOfFlagsSaysWhatIsAdvised) {
  Result result;
  result.program = "p";
  result.grids.resize(1);
  auto& on = result.grids.front();
  on.grid = "some/lab.json";
  on.space = flags_to_try({});
  on.advice.setting = usual(on.space);
  EXPECT_EQ(flag_file(result),
            "# by trawl-tune, of p on lab\n# the defaults: there was no time for more\n");
  EXPECT_NE(tune::text(result).find("Nothing else was tried"), std::string::npos);
  result.for_all.emplace();
  result.for_all->space = on.space;
  result.for_all->advice = on.advice;
  EXPECT_NE(tune::text(result).find("  the defaults: there was no time for more\n"),
            std::string::npos);
  result.for_all.reset();
  on.advice.effects.emplace_back();  // begun with, and not compared
  EXPECT_EQ(flag_file(result),
            "# by trawl-tune, of p on lab\n# the defaults: there was no time for more\n");
  on.advice.effects.front().runs = 1;
  EXPECT_EQ(flag_file(result), "# by trawl-tune, of p on lab\n# the defaults are as good\n");
  on.advice.cut_short = true;
  EXPECT_NE(tune::text(result).find("nothing else gains 0.5 % of what there was time to try"),
            std::string::npos);
  on.advice.effects = {{0, 1, {0.02, 0.03, 0.04}, 10}};
  EXPECT_NE(
      tune::text(result).find("By itself low-watermark 1 saved +3.0 % (+2.0 % to +4.0 %), but "
                              "there was no time to\n  confirm it"),
      std::string::npos)
      << tune::text(result);
  EXPECT_EQ(flag_file(result),
            "# by trawl-tune, of p on lab\n# the defaults: there was no time for more\n");
  on.advice.setting[0] = 1;
  const auto text = flag_file(result);
  EXPECT_TRUE(text.ends_with("\n--trawl:low-watermark=1\n")) << text;
}

}  // namespace
}  // namespace tune
