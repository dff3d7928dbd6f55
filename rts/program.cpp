#include "rts/program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "rts/base/say.hpp"
#include "rts/fabric/net/key.hpp"
#include "rts/heap/failure.hpp"
#include "rts/sched/recorder.hpp"
#include "rts/sched/worker.hpp"

namespace trawl {
namespace {

/// What is wrong with it, if anything.
std::string flush_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return {};
  return std::string("the program's output could not be written") +
         (errno != 0 ? std::string(": ") + std::strerror(errno) : "");
}

/// Of PEs that the run went on without.
std::string what_was_done_again(const std::vector<std::optional<Statistics>>& statistics) {
  const auto sum = sum_of(statistics);
  const auto of = [&sum](Count count) { return sum[static_cast<std::size_t>(count)]; };
  const auto pes = of(Count::pes_lost);
  if (pes == 0) return {};
  return fmt::format(
      "of what {} lost PE{} had, thunks evaluated again: {}, parts of values made again: {}", pes,
      pes == 1 ? "" : "s", of(Count::thunks_revived), of(Count::values_remade));
}

}  // namespace

Program::Program(int argc, char** argv) : args_(argv, argv + argc) {
  try {
    options = take_options(args_);
    fabric::net::read_key(options.key);  // a bad one is refused where it is not needed, too
  } catch (const Error& e) {
    trouble = e;
    options = options_to_join(args_);
  }
}

void Program::answer() const {
  if (options.help) std::cout << options_help();
  if (options.version) std::cout << "trawl " TRAWL_VERSION << '\n';
}

void Program::open_stats_file() {
  const auto& file = options.stats_file;
  if (file.empty() || asks()) return;
  stats_file_.open(file);
  if (!stats_file_)
    throw Error("cannot write the statistics to " + file + ": " + std::strerror(errno), 2);
}

int Program::call(const Root& root) const {
  auto args = args_;
  std::vector<char*> argv;
  argv.reserve(args.size() + 1);
  for (auto& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  try {
    return root(static_cast<int>(args.size()), argv.data());
  } catch (...) {
    heap::end_if_lost();
    if (auto* recorder = sched::worker_here().recorder()) recorder->abandon();
    const auto* failure = heap::current_failure();
    std::cout.flush();
    complain("the program ended with an exception: " + std::string(failure->type_name) +
             (failure->message.empty() ? "" : ": ") + std::string(failure->message) +
             hint(failure->type_name));
    return 1;
  }
}

std::string Program::hint(std::string_view exception) const {
  if (exception != "std::bad_alloc" || options.heap_max == 0) return {};
  return " (--trawl:heap-max allows each PE " + std::to_string(options.heap_max) + " bytes)";
}

int Program::report(const life::Outcome& outcome, Nanos elapsed,
                    const std::string& trouble_with_log,
                    const std::string& trouble_with_recording) {
  const auto lost_output = flush_output();
  complain(outcome.error);
  complain(what_was_done_again(outcome.statistics));
  complain(trouble_with_log);
  complain(trouble_with_recording);
  complain(lost_output);
  const auto lost_statistics = print(outcome.statistics, elapsed);
  complain(lost_statistics);
  const bool complete =
      lost_output.empty() && lost_statistics.empty() && trouble_with_recording.empty();
  return outcome.code == 0 && !complete ? 1 : outcome.code;
}

// What is wrong with them, if anything.
std::string Program::print(const std::vector<std::optional<Statistics>>& statistics,
                           Nanos elapsed) {
  if (statistics.empty() || options.stats == StatsFormat::none || asks()) return {};
  const auto text = options.stats == StatsFormat::json
                        ? statistics_json(statistics, elapsed, links)
                        : statistics_text(statistics, elapsed, links);
  const bool apart = !options.stats_file.empty();
  errno = 0;
  if (apart ? bool(stats_file_ << text << std::flush) : say(text)) return {};
  return "cannot write the statistics to " + (apart ? options.stats_file : "standard error") +
         ": " + std::strerror(errno);
}

void complain(const std::string& what) {
  if (!what.empty()) say("trawl: " + what + "\n");
}

}  // namespace trawl
