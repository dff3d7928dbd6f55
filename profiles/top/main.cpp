// trawl-top: what a run does while it goes on.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <unistd.h>

#include "profiles/limits.hpp"
#include "profiles/top/runs.hpp"
#include "profiles/top/sample.hpp"
#include "profiles/top/screen.hpp"
#include "profiles/top/show.hpp"
#include "profiles/written.hpp"
#include "rts/host/terminal.hpp"
#include "rts/inline/error.hpp"

namespace {

using namespace trawl;
using Clock = std::chrono::steady_clock;

constexpr int tick = 50;  // ms between two looks

struct Options {
  int process = 0;
  bool once = false;
  bool json = false;
  double interval = 1;  // seconds
};

void declare(CLI::App& app, Options& options) {
  app.add_option("PROCESS", options.process,
                 "the run's main PE, or what has started it (mpiexec, trawl-run); without it the "
                 "only run of yours on this host")
      ->check(CLI::Range(1, 1 << 30));
  app.add_flag("--once", options.once, "look twice, print one table and exit");
  app.add_flag("--json", options.json, "print JSON, an object a line");
  app.add_option("--interval", options.interval, "seconds between two tables")
      ->check(within(1, 86400))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.set_version_flag(
      "--version", "trawl-top " TRAWL_VERSION ", format " + std::to_string(trace::pulse_version));
  app.footer(
      "On a terminal the table is drawn in place; q or Ctrl-C leaves. It ends with the run.\n"
      "To look at a run elsewhere: ssh -t HOST trawl-top, on the host of its main PE.\n"
      "Exit code: 0; 1 if there is no run to look at, or what it shows can't be read; 2 for bad\n"
      "usage, several runs of which none is named, or output that can't be written.");
}

void print(const top::Sample& sample, const Options& options) {
  // A name may hold bytes that are not UTF-8.
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::cout << (options.json ? top::to_json(sample).dump(-1, ' ', false, replace) + "\n"
                             : top::table(sample, top::unbounded, top::unbounded) + "\n")
            << std::flush;
}

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

/// Seconds after which nothing new is to be expected; the PEs of a very large run are asked less
/// often.
double patience(double least, const std::optional<top::Sample>& last) {
  const double enough = 2.5;  // intervals
  return last ? std::max(least, enough * static_cast<double>(last->head.interval) * 1e-9) : least;
}

/// Until every PE has been heard of twice; who is silent is not waited for.
int look_once(const top::Look& look, const Options& options) {
  const auto begun = Clock::now();
  top::History history;
  std::optional<top::Sample> sample;
  std::optional<std::uint64_t> first;
  bool moves = false;  // an old table stays where it is
  while (look.runs() && seconds_since(begun) < patience(3.5, sample)) {
    if (const auto table = look.table()) {
      sample = history.take(*table);
      moves = moves || first.value_or(table->head.number) != table->head.number;
      first = first.value_or(table->head.number);
      if (history.complete(*table) || table->head.stage == trace::Stage::over) break;
    }
    poll(nullptr, 0, tick);
  }
  const bool over = sample && sample->head.stage == trace::Stage::over;
  const auto process = "process " + std::to_string(look.run().pid);
  if (!sample)
    throw Error(
        process + (look.runs() ? " shows nothing: its run has not begun yet, or it is stopped"
                               : " has ended"),
        1);
  print(*sample, options);
  if (!moves && !over && look.runs())
    throw Error(process + " has shown nothing new since: it is stopped", 1);
  return 0;
}

/// Says it once more where it stays to be read.
int end(const top::Look& look, const std::optional<top::Sample>& last) {
  if (last) std::cout << top::table(*last, top::unbounded, top::unbounded) << '\n';
  const bool over = last && last->head.stage == trace::Stage::over;
  if (!look.runs()) std::cout << (over ? "the run is over\n" : "the main PE's process has ended\n");
  std::cout << std::flush;
  return 0;
}

/// How long nothing has been shown.
std::string stillness(double seconds, const std::optional<top::Sample>& last) {
  if (seconds < patience(4, last)) return "";
  return "the main PE has been silent for " + std::to_string(static_cast<int>(seconds)) + " s\n";
}

int look_on(const top::Look& look, const Options& options) {
  const bool on_terminal = !options.json && lines_can_be_written_over(STDOUT_FILENO);
  std::optional<top::Screen> screen;
  if (on_terminal) screen.emplace();
  top::History history;
  std::optional<top::Sample> sample;
  std::uint64_t shown = 0;
  auto changed = Clock::now();
  double due = 0;
  const auto begun = Clock::now();
  while (!top::interrupted() && std::cout) {
    const bool runs = look.runs();  // asked first: so the last table is seen
    const auto now = seconds_since(begun);
    const auto table = look.table();
    const bool over = !runs || (table && table->head.stage == trace::Stage::over);
    const bool is_new = table && table->head.number != shown;
    if (is_new && (now >= due || over)) {
      shown = table->head.number;
      changed = Clock::now();
      due = now + options.interval - 0.5;  // the next one is a second away, or more
      sample = history.take(*table);
      if (!on_terminal) print(*sample, options);
    }
    if (over) break;
    if (screen) {
      const auto still = stillness(seconds_since(changed) + 1 - options.interval, sample);
      const auto height = screen->height() - (still.empty() ? 0 : 1);
      screen->draw(sample ? still + top::table(*sample, screen->width(), height)
                          : still + "waiting for the run to begin\n");
      const char key = screen->key(2 * tick);
      if (key == 'q' || key == 'Q') break;
    } else {
      poll(nullptr, 0, tick);
    }
  }
  if (!screen) return 0;
  screen.reset();
  return end(look, sample);
}

int answer(CLI::App& app, Options& options, int argc, char** argv) {
  int code = 0;
  try {
    app.parse(argc, argv);
    const top::Look look(options.process != 0 ? top::run_of(options.process) : top::only_run());
    code = options.once ? look_once(look, options) : look_on(look, options);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    throw Error(wrong.what() + std::string(" (see trawl-top --help)"), 2);
  }
  expect_written();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Shows what the PEs of a Trawl run do while it goes on.", "trawl-top");
  declare(app, options);
  try {
    return answer(app, options, argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "trawl-top: %s\n", error.what());
    return error.exit_code();
  }
}
