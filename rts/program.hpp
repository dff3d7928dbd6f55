// A program's command line, its root, and what is said at its end: whatever plays its PEs.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rts/inline/error.hpp"
#include "rts/inline/run.hpp"
#include "rts/life/ending.hpp"
#include "rts/options/options.hpp"
#include "rts/trace/stats.hpp"

namespace trawl {

class Program {
 public:
  /// Reads the command line and the environment; what is wrong with them is `trouble`.
  Program(int argc, char** argv);

  Options options{};
  std::optional<Error> trouble{};

  /// What the statistics say of links.
  std::vector<LinkUse> links{};

  /// Those of the program itself, its name before them.
  const std::vector<std::string>& args() const noexcept { return args_; }
  /// Of its file, without where it is.
  std::string name() const {
    return args_.empty() ? "" : std::filesystem::path(args_.front()).filename().string();
  }
  /// Wants only to be told something?
  bool asks() const noexcept { return options.help || options.version; }
  /// What it wants to be told, to standard output.
  void answer() const;

  /// Throws Error (exit code 2) if the file for the statistics, if there is to be one, can't be
  /// written.
  void open_stats_file();

  /// Its exit code; 1, after a line that says why, if it ends with an exception.
  int call(const Root& root) const;

  /// Flushes its output; says what went wrong, with the event log and the recording too, and the
  /// statistics of a run that took so long. The exit code.
  int report(const life::Outcome& outcome, Nanos elapsed, const std::string& trouble_with_log,
             const std::string& trouble_with_recording);

 private:
  /// What to do about it, if that is known.
  std::string hint(std::string_view exception) const;
  std::string print(const std::vector<std::optional<Statistics>>& statistics, Nanos elapsed);

  std::vector<std::string> args_;
  std::ofstream stats_file_{};
};

/// A line on standard error; nothing if there is nothing to be said.
void complain(const std::string& what);

}  // namespace trawl
