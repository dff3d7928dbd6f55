// trawl-replay: evaluates the task graph of a recording, or a generated one.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <trawl/trawl.hpp>

#include "profiles/replay/command.hpp"
#include "profiles/replay/read_recording.hpp"

namespace {

using replay::Command;

/// What every PE has been told, and what is wrong with it: the main PE says so.
Command command;
std::optional<trawl::Error> trouble;
/// Of the graph, if there is a file.
std::string about;
replay::Totals totals;
/// Of the main PE, when all has been evaluated.
std::optional<std::uint64_t> sum;

void prepare(int argc, char** argv) {
  try {
    command = replay::read_command(argc, argv);
    if (!command.answer.empty()) return;
    replay::set_shape(command.shape);
    if (command.file.empty()) return;
    auto graph = replay::read_recording(command.file);
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
  const auto seconds = [](trawl::Nanos time) { return static_cast<double>(time) * 1e-9; };
  const auto scaled = [](std::uint64_t bytes) {
    return static_cast<double>(bytes) * command.scale.bytes;
  };
  const double factor = command.file.empty() ? 1 : command.scale.work;
  fmt::print("{}tasks           {}\nsparks          {}\nwork            {:.6f} s\n", about,
             totals.tasks, totals.sparks, seconds(totals.work) * factor);
  fmt::print("critical path   {:.6f} s\nparallelism     {:.1f}\n",
             seconds(totals.critical_path) * factor,
             totals.critical_path > 0
                 ? static_cast<double>(totals.work) / static_cast<double>(totals.critical_path)
                 : 1.0);
  fmt::print("argument bytes  {:.0f}\nresult bytes    {:.0f}\n", scaled(totals.argument_bytes),
             scaled(totals.result_bytes));
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
  if (command.info) {
    print_info();
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  sum = command.file.empty() ? replay::grow() : replay::replay_graph();
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

}  // namespace

int main(int argc, char** argv) {
  prepare(argc, argv);
  trawl::declare_all_work();
  const int code = trawl::run<root>(argc, argv);
  return code == 0 && sum ? checked() : code;
}
