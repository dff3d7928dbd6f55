#include "profiles/tune/command.hpp"

#include <cmath>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>

#include "profiles/limits.hpp"
#include "profiles/parse.hpp"
#include "rts/inline/error.hpp"
#include "rts/options/options.hpp"

namespace tune {
namespace {

using trawl::Error;

/// "500" runs, "90s" seconds.
void take_budget(const std::string& text, Command& command) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string_view unit = end;
  const bool sound = end != text.c_str() && std::isfinite(number) && number > 0 && number <= 1e9;
  if (sound && unit == "s") {
    command.seconds = number;
  } else if (sound && unit.empty() && number == std::floor(number)) {
    command.runs = std::lround(number);
  } else {
    throw Error("--budget needs a number of runs, as 500, or of seconds, as 90s", 2);
  }
}

/// The runtime's own, for every run; what decides about the runs themselves is not among them.
std::vector<std::string> take_fixed(std::vector<std::string>& words) {
  std::vector<std::string> fixed;
  for (auto at = words.begin(); at != words.end();) {
    if (!at->starts_with("--trawl:")) {
      ++at;
      continue;
    }
    for (const std::string_view ours : {"simulate", "seed", "flags", "stats", "stats-file", "trace",
                                        "record", "help", "version", "grid", "workers"})
      if (at->substr(8, at->find('=') - 8) == ours)
        throw Error(*at + " is not for trawl-tune, which decides that itself", 2);
    fixed.push_back(*at);
    at = words.erase(at);
  }
  std::vector<std::string> args{"trawl-tune"};
  args.insert(args.end(), fixed.begin(), fixed.end());
  trawl::take_options(args);  // refuses what is none
  return fixed;
}

void say_options(CLI::App& app, Command& command, std::string& budget) {
  app.add_option("RECORDING", command.recording, "of the program (--trawl:record=FILE)")
      ->required();
  app.add_option("GRID", command.grids, "files that describe grids (see profiles/grids)")
      ->required();
  app.add_option("--write", command.write, "write the flags into this file, for --trawl:flags=FILE")
      ->type_name("FILE");
  app.add_option("--plot", command.plot, "draw how much each flag matters: FILE.svg or FILE.png")
      ->type_name("FILE");
  app.add_flag("--json", command.json, "print all that was found out as JSON");
  app.add_option("--budget", budget,
                 "no new race after so many runs for a grid's flags (500), or seconds in all "
                 "(90s); else 1500 "
                 "runs")
      ->type_name("RUNS|SECONDS");
  app.add_option("--seed", command.seed, "of the first run; the same finds the same")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  app.add_option("-j,--jobs", command.jobs, "runs at once (0: as many as there are cores)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--scale-work", command.scale_work, "work is so many times what is recorded")
      ->check(trawl::within(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--scale-bytes", command.scale_bytes, "so are arguments and results")
      ->check(trawl::within(0, 1e6))
      ->capture_default_str();
  app.add_flag("--quiet", command.quiet, "do not say on standard error how far it is");
  app.set_version_flag("--version", "trawl-tune " TRAWL_VERSION);
}

/// What no option can tell by itself.
void complete(Command& command, const std::string& budget) {
  if (!budget.empty()) take_budget(budget, command);
  if (!command.plot.empty() && !command.plot.ends_with(".svg") && !command.plot.ends_with(".png"))
    throw Error("--plot needs a FILE.svg or a FILE.png", 2);
  if (command.jobs == 0)
    command.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

Command read_command(int argc, const char* const* argv) {
  Command command;
  std::vector<std::string> words(argv + 1, argv + argc);
  command.fixed = take_fixed(words);
  std::string budget;
  CLI::App app(
      "Finds the runtime's flags that suit a program on a grid, by replays of its recording.",
      "trawl-tune");
  say_options(app, command, budget);
  app.footer(
      "Flags of the runtime (--trawl:NAME=VALUE) hold for all runs, and are not varied.\n"
      "Exit code: 0; 1 if a run went wrong; 2 for bad usage, a damaged recording or a bad grid.");
  command.answer =
      trawl::parse_command_line(app, std::vector<std::string>(words.rbegin(), words.rend()));
  if (!command.answer.empty()) return command;
  complete(command, budget);
  return command;
}

}  // namespace tune
