// trawl-replay: evaluates the task graph of a recording, or a generated one.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <trawl/trawl.hpp>

#include "profiles/replay/command.hpp"
#include "profiles/replay/reach.hpp"
#include "profiles/replay/read_recording.hpp"
#include "rts/fabric/grid_file.hpp"
#include "rts/host/share.hpp"

namespace {

using replay::Command;

/// What every PE has been told, and what is wrong with it: the main PE says so.
Command command;
std::optional<trawl::Error> trouble;
/// Of the graph, if there is a file.
std::string about;
std::string cut_short;  // why that is not whole, if so
replay::Totals totals;
trawl::fabric::GridFile grid;
/// Of the main PE, when all has been evaluated; and in how many seconds of the run's clock.
std::optional<std::uint64_t> sum;
double took = 0;

void prepare(int argc, char** argv) {
  try {
    command = replay::read_command(argc, argv);
    if (!command.answer.empty()) return;
    if (!command.bound.empty()) grid = trawl::fabric::read_grid_file(command.bound);
    replay::set_shape(command.shape);
    if (command.file.empty()) return;
    auto graph = replay::read_recording(command.file, command.grain);
    cut_short = graph.cut_short;
    if (command.info) {
      totals = replay::totals(graph);
      about = fmt::format("program         {}\nnever needed    {}\nunknown ways    {}\n",
                          graph.program, graph.not_needed, graph.unrouted);
    }
    replay::set_graph(std::move(graph), command.scale);
  } catch (const trawl::Error& error) {
    trouble = error;
  }
}

void print_info() {
  if (command.file.empty()) totals = replay::measure(command.shape).totals;
  const auto seconds = [](double nanos) { return nanos * 1e-9; };
  const auto scaled = [](std::uint64_t bytes) {
    return static_cast<double>(bytes) * command.scale.bytes;
  };
  const double factor = command.file.empty() ? 1 : command.scale.work;
  fmt::print("{}tasks           {}\nsparks          {}\nwork            {:.6f} s\n", about,
             totals.tasks, totals.sparks, seconds(totals.work) * factor);
  fmt::print("critical path   {:.6f} s\nparallelism     {:.1f}\n",
             seconds(totals.critical_path) * factor,
             totals.critical_path > 0 ? totals.work / totals.critical_path : 1.0);
  fmt::print("argument bytes  {:.0f}\nresult bytes    {:.0f}\n", scaled(totals.argument_bytes),
             scaled(totals.result_bytes));
  if (totals.shared_values != 0)
    fmt::print("shared values   {}\nshared bytes    {:.0f}\n", totals.shared_values,
               scaled(totals.shared_bytes));
  if (totals.placed != 0)
    fmt::print("placed          {}\nkept bytes      {:.0f}\n", totals.placed,
               scaled(totals.kept_bytes));
}

int root() {
  if (trouble) {
    std::cerr << "trawl-replay: " << trouble->what() << '\n';
    return trouble->exit_code();
  }
  if (!command.answer.empty()) {
    std::cout << command.answer;
    return 0;
  }
  if (!cut_short.empty())
    std::cerr << "trawl-replay: " << cut_short << "; what is before that is taken\n";
  if (command.info) {
    print_info();
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto begin_of_run = command.bound.empty() ? 0 : trawl::now();
  sum = command.file.empty() ? replay::grow() : replay::replay_graph();
  if (!command.bound.empty()) took = static_cast<double>(trawl::now() - begin_of_run) * 1e-9;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::cout << fmt::format("{:016x}\n", *sum);
  std::cerr << fmt::format("elapsed: {:.3f} s\n", elapsed.count());
  return 0;
}

/// Is it what it should be? Found out when the run is over: it is none of its work.
int checked() {
  const auto expected =
      command.file.empty() ? replay::measure(command.shape).sum : replay::expected_sum();
  if (*sum == expected) return 0;
  std::cerr << fmt::format("trawl-replay: it should be {:016x}\n", expected);
  return 1;
}

void print_crossing(const char* what, const replay::Crossing& crossing, const char* way) {
  std::vector<std::string> names;
  for (const auto i : crossing.far) names.push_back(grid.clusters[i].name);
  fmt::print("{:<16}{:.6f} s{}\n", what, crossing.seconds,
             names.empty() ? ""
                           : fmt::format("  {:.0f} bytes {} {}", crossing.bytes, way,
                                         fmt::join(names, ", ")));
}

void print_bound() {
  const bool absolute = grid.clusters.front().speed_is_absolute;
  const auto reach = replay::reach_of(grid, absolute ? trawl::measure_speed() : 1);
  const auto bound =
      command.file.empty() ? replay::bound(command.shape, reach) : replay::bound_of_graph(reach);
  fmt::print("all work        {:.6f} s\npath            {:.6f} s\n", bound.work, bound.path);
  fmt::print("between         {:.6f} s\n", bound.between);
  print_crossing("arguments", bound.arguments, "to");
  print_crossing("results", bound.results, "from");
  fmt::print("attainable      {:.6f} s\n", bound.seconds());
  if (!command.file.empty())
    fmt::print("longest first   {:.6f} s\n", replay::longest_first_of_graph(reach));
  std::fflush(stdout);
  if (sum && took > 0)
    std::cerr << fmt::format("share of attainable: {:.1f} %\n", 100 * bound.seconds() / took);
}

}  // namespace

int main(int argc, char** argv) {
  prepare(argc, argv);
  trawl::declare_all_work();
  const int code = trawl::run<root>(argc, argv);
  if (code != 0 || trouble || !command.answer.empty()) return code;
  if (!command.bound.empty()) print_bound();
  return sum ? checked() : code;
}
