// trawl-tune: which flags suit a program on a grid?
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "profiles/tune/command.hpp"
#include "profiles/tune/plot.hpp"
#include "profiles/tune/result.hpp"
#include "profiles/tune/spark_cost.hpp"
#include "profiles/tune/stop.hpp"
#include "profiles/tune/tuner.hpp"
#include "profiles/written.hpp"
#include "rts/host/terminal.hpp"
#include "rts/inline/error.hpp"

namespace {

using namespace tune;

/// How far it is, for people that wait: on a terminal in one line.
class Progress {
 public:
  explicit Progress(bool quiet)
      : quiet_(quiet), terminal_(trawl::lines_can_be_written_over(STDERR_FILENO)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(const std::string& what) {
    if (quiet_) return;
    if (terminal_)
      put(fmt::format("\r\033[K{:.78}", what));
    else
      put(fmt::format("trawl-tune: {}\n", what));
    std::fflush(stderr);
  }
  void clear() {
    if (!quiet_ && terminal_) put("\r\033[K");
  }

 private:
  /// Whether anybody hears it is no matter, so not by fmt::print, which throws.
  static void put(const std::string& text) { std::fputs(text.c_str(), stderr); }

  bool quiet_, terminal_;
};

/// Settings of the environment are not for the runs: they would not be the same elsewhere.
void forget_environment() {
  Words names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name(*entry, std::string_view(*entry).find('='));
    if (name.starts_with("TRAWL_")) names.emplace_back(name);
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
}

std::string replay_program() {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("trawl-replay").string();
}

// Data that tasks share are not in a recording: what is advised should not send more of them than
// can be borne.
constexpr double more_bytes = 4;

class Tuning {
 public:
  explicit Tuning(const Command& command)
      : command_(command), replays_(replay_program(), command.jobs), progress_(command.quiet) {}

  Result run() {
    read();
    for (auto& tuner : tuners_) tune_on(*tuner);
    if (tuners_.size() > 1) tune_for_all();
    result_.replays = replays_.started();
    return std::move(result_);
  }

 private:
  void read() {
    local_ = measure_local_costs();
    graph_ = replay::read_recording(command_.recording);
    if (!graph_.cut_short.empty())
      std::cerr << "trawl-tune: " << graph_.cut_short << "; what is before that is taken\n";
    lines_ = lines_of_sites(graph_);
    heed_signals();  // till here there was nothing to take away
    const auto totals = replay::totals(graph_);
    result_.recording = command_.recording;
    result_.program = graph_.program;
    result_.work = totals.work * 1e-9 * command_.scale_work;
    result_.critical_path = totals.critical_path * 1e-9 * command_.scale_work;
    Words words{command_.recording, fmt::format("--scale-bytes={}", command_.scale_bytes),
                fmt::format("--scale-work={}", command_.scale_work)};
    words.insert(words.end(), command_.fixed.begin(), command_.fixed.end());
    for (const auto& grid : command_.grids)
      tuners_.push_back(std::make_unique<Tuner>(replays_, grid, words));
  }

  /// Its share of the time, if that is bounded: half of it for the flags of each grid.
  Plan plan(double share) const {
    Plan plan;
    plan.seed = command_.seed;
    plan.runs = command_.runs;
    if (command_.seconds > 0) {
      const auto end = std::chrono::steady_clock::now() +
                       std::chrono::duration<double>(command_.seconds * share);
      plan.over = [end] { return std::chrono::steady_clock::now() >= end; };
    }
    return plan;
  }

  void tune_on(Tuner& tuner) {
    const auto parts = static_cast<double>(tuners_.size() + (tuners_.size() > 1 ? 1 : 0));
    const auto say = [&](const std::string& what) {
      progress_.say(short_grid(tuner.grid()) + ": " + what);
    };
    OnGrid on{tuner.grid(), tuner.pes(), tuner.workers(), tuner.space(), {}, {}, {}, {}, {}};
    auto flags_plan = plan(0.7 / parts);
    flags_plan.another = [&](auto trials) { return tuner.measure(on.space, trials, more_bytes); };
    on.advice = advise(
        on.space, flags_plan, [&](auto trials) { return tuner.measure(on.space, trials); }, say);
    on.costs = tuner.costs({local_.spawn, local_.par, 0, 0, 0, 0});
    const auto graph = replay::scaled(graph_, command_.scale_work, command_.scale_bytes);
    on.lines = grains(graph, lines_, on.costs);
    auto grain_plan = plan(0.3 / parts);
    grain_plan.runs = std::max(1L, command_.runs / 3);
    on.coarser = tuner.coarser(graph_, on.advice.setting, grain_plan,
                               [&say](const std::string& what) { say("grain, " + what); });
    on.trouble = tuner.trouble();
    result_.grids.push_back(std::move(on));
  }

  /// A trial's time is the geometric mean of its times on all grids.
  static std::vector<double> mean_times(std::span<const Measure> on,
                                        std::span<const Trial> trials) {
    std::vector<double> seconds(trials.size(), 0);
    for (const auto& measure : on) {
      const auto here = measure(trials);
      for (std::size_t i = 0; i < here.size(); ++i)
        seconds[i] += std::log(here[i]) / static_cast<double>(on.size());
    }
    for (auto& each : seconds) each = std::exp(each);
    return seconds;
  }

  void tune_for_all() {
    ForAll all;
    all.space = flags_to_try(command_.fixed);
    long ignored = 0;
    std::vector<Measure> on, with_more;
    for (const auto& tuner : tuners_) {
      const auto measure = [&all, &tuner](double bytes) {
        return [&all, &tuner, bytes](std::span<const Trial> trials) {
          return tuner->measure(padded(all, *tuner), whole(all, *tuner, trials), bytes);
        };
      };
      on.push_back(remembered(measure(1), ignored));
      with_more.push_back(measure(more_bytes));
    }
    auto all_plan = plan(1 / static_cast<double>(tuners_.size() + 1));
    all_plan.another = [&](auto trials) { return mean_times(with_more, trials); };
    all.advice = advise(
        all.space, all_plan, [&](auto trials) { return mean_times(on, trials); },
        [&](const std::string& what) { progress_.say("all grids: " + what); });
    for (const auto& measure : on)
      all.gains.push_back(compare(all.advice.setting, usual(all.space),
                                  command_.seed + confirming_seeds, all_plan.confirming,
                                  all_plan.confidence, measure)
                              .value_or(Interval{}));
    result_.for_all = std::move(all);
  }

  /// The common space with the grid's own factor, as it is by itself.
  static Space padded(const ForAll& all, const Tuner& tuner) {
    auto space = all.space;
    if (tuner.space().size() > space.size()) space.push_back(tuner.space().back());
    return space;
  }
  static std::vector<Trial> whole(const ForAll& all, const Tuner& tuner,
                                  std::span<const Trial> trials) {
    std::vector<Trial> list(trials.begin(), trials.end());
    if (tuner.space().size() > all.space.size())
      for (auto& trial : list) trial.setting.push_back(tuner.space().back().usual);
    return list;
  }

  const Command& command_;
  Replays replays_;
  Progress progress_;
  replay::Graph graph_;
  std::vector<trawl::profile::Line> lines_;  // of its sites
  LocalCosts local_;
  std::vector<std::unique_ptr<Tuner>> tuners_;
  Result result_;
};

void write_flags(const Result& result, const std::string& file) {
  std::ofstream out(file);
  if (!(out << flag_file(result)).flush())
    throw trawl::Error("cannot write " + file + ": " + std::strerror(errno), 2);
}

/// Before minutes of work, not after. What was not there is not there until then.
void check_writable(const std::string& file) {
  if (file.empty()) return;
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(file, ignored);
  errno = 0;
  if (!std::ofstream(file, std::ios::app))
    throw trawl::Error("cannot write " + file + ": " + std::strerror(errno), 2);
  if (is_new) std::filesystem::remove(std::filesystem::canonical(file, ignored), ignored);
}

int tune_all(int argc, char** argv) {
  const auto command = read_command(argc, argv);
  if (!command.answer.empty()) {
    std::fputs(command.answer.c_str(), stdout);
    trawl::expect_written();
    return 0;
  }
  for (const auto& file : {command.write, command.plot}) {
    trawl::expect_not_read(file, command.recording);
    for (const auto& grid : command.grids) trawl::expect_not_read(file, grid);
    check_writable(file);
  }
  const auto result = Tuning(command).run();
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  const auto said = command.json ? json(result).dump(2, ' ', false, replace) + "\n" : text(result);
  std::fputs(said.c_str(), stdout);
  if (!command.write.empty()) write_flags(result, command.write);
  if (!command.plot.empty()) draw(result, command.plot);
  trawl::expect_written();
  return 0;
}

int failed(const char* why, int exit_code) {
  std::fputs(fmt::format("trawl-tune: {}\n", why).c_str(), stderr);
  if (const int signal = signal_to_stop()) end_by(signal);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  forget_environment();
  try {
    return tune_all(argc, argv);
  } catch (const trawl::Error& error) {
    return failed(error.what(), error.exit_code());
  } catch (const std::exception& error) {  // no memory
    return failed(error.what(), 1);
  }
}
