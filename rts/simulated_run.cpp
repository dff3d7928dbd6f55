#include "rts/simulated_run.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "rts/base/say.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/host/share.hpp"
#include "rts/inline/work.hpp"
#include "rts/meeting.hpp"
#include "rts/sched/fatal.hpp"
#include "rts/sched/fiber.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

// A grid is slow and far: what would take an hour of a real one may well be simulated.
constexpr Nanos longest_run = 1'000'000'000'000'000;

// In seconds: signs of life may wait for long at a slow link.
constexpr double nobody_dies = 1e6;

/// Of those that carried anything.
std::vector<LinkUse> links_of(Simulation& simulation) {
  std::vector<LinkUse> links;
  const auto& network = *simulation.net().network();
  const auto now = simulation.now();
  const auto name = [&](int cluster) {
    return network.grid().clusters[static_cast<std::size_t>(cluster)].name;
  };
  for (const auto& [from, to] : network.used_links()) {
    const auto [messages, bytes, busy] = network.carried_until(from, to, now);
    links.push_back({name(from), name(to), messages, bytes, busy});
  }
  return links;
}

/// Said of a grid whose file has some come or go.
std::string changes_in(const life::Outcome& outcome) {
  const auto sum = sum_of(outcome.statistics);
  std::string text;
  for (const auto& [count, what] :
       {std::pair{Count::pes_joined, "joined later"}, {Count::pes_lost, "died"}})
    if (const auto pes = sum[static_cast<std::size_t>(count)]; pes != 0)
      text += fmt::format("{} {} {}", text.empty() ? ", of which" : ",", pes, what);
  return text;
}

// All PEs have one, which stands with the main PE.
void count_heap_once(life::Outcome& outcome) {
  for (std::size_t pe = 1; pe < outcome.statistics.size(); ++pe)
    if (auto& counts = outcome.statistics[pe])
      for (const auto count : {Count::gc_count, Count::gc_time, Count::heap_bytes,
                               Count::live_bytes, Count::allocated_bytes})
        (*counts)[static_cast<std::size_t>(count)] = 0;
}

std::unique_ptr<Simulation> make_simulation(const Simulation::Config& config) try {
  return std::make_unique<Simulation>(config);
} catch (const std::bad_alloc&) {
  throw Error(
      fmt::format("there is not the memory to simulate {} PEs: take fewer, or give "
                  "--trawl:spark-pool less (ulimit -v may bound it)",
                  config.net.grid->pes()));
}

void refuse_what_contradicts(const Options& options) {
  if (fabric::under_mpiexec())
    throw Error("--trawl:simulate plays all PEs in one process: start it without mpiexec", 2);
  if (goes_by_net(options))
    throw Error(
        "--trawl:simulate plays all PEs in one process: start it without trawl-run, and without "
        "--trawl:join, --trawl:pes and --trawl:fabric=net",
        2);
  if (!options.grid.empty())
    throw Error(
        "--trawl:grid and --trawl:simulate exclude each other: one rehearses, one simulates", 2);
  if (options.progress)
    throw Error(
        "--trawl:progress is for runs that take their time: leave it out, a simulated one "
        "goes by in virtual time",
        2);
}

Simulation::Config config_of(const Program& program) {
  Simulation::Config config;
  config.net.grid = fabric::read_grid_file(program.options.simulate);
  config.net.seed = std::max(program.options.seed, 1U);
  config.options = program.options;
  config.options.silence = nobody_dies;
  if (config.net.grid->count(fabric::GridChange::What::dies) == 0) config.options.copies = 0;
  if (config.net.grid->count(fabric::GridChange::What::joins) != 0 &&
      program.options.recover == "off")
    throw Error(
        "PEs of the grid join, which they can only where deaths are survived: leave out "
        "--trawl:recover=off",
        2);
  config.program = program.name();
  config.measure = !all_work_is_declared();
  if (config.net.grid->clusters.front().speed_is_absolute) config.speed_of_host = measure_speed();
  return config;
}

std::string trouble_with_logs(Simulation& simulation) {
  for (int pe = 0; pe < simulation.size(); ++pe)
    if (const auto* log = simulation.pe(pe).log(); log != nullptr && !log->trouble().empty())
      return log->trouble();
  return {};
}

}  // namespace

int run_simulated(Program& program, const Root& root) {
  refuse_what_contradicts(program.options);
  program.open_stats_file();
  const auto config = config_of(program);
  watch_for_fatal_ends_in_simulation();
  sched::catch_stack_overflow();
  const auto made = make_simulation(config);
  auto& simulation = *made;
  int code = 1;
  Nanos begun = 0;
  Nanos took = 0;
  life::Outcome outcome;
  try {
    simulation.run(
        [&] {
          begun = Simulation::clock_here();
          code = program.call(root);
          took = Simulation::clock_here() - begun;
        },
        longest_run);
    outcome = simulation.finish(code);
    count_heap_once(outcome);
    const bool evaluated_nothing = code != 0 && took == 0;
    if (!evaluated_nothing)
      say(fmt::format("simulated: {:.6f} s on {} PEs{}\n", static_cast<double>(took) * 1e-9,
                      simulation.size(), changes_in(outcome)));
  } catch (const Error& e) {
    outcome.code = e.exit_code();
    outcome.error = e.what();
  }
  end_is_meant();
  program.links = links_of(simulation);
  return program.report(outcome, simulation.now(), trouble_with_logs(simulation), "");
}

}  // namespace trawl
