// What the programs share: their command line, their clock, and how they are checked.
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace programs {

/// A program that computes the same in parallel and sequentially. The result goes to standard
/// output, all else to standard error. Exit codes: 0; 1 if --check found a difference; 2 for bad
/// arguments.
class Command {
 public:
  Command(std::string name, const std::string& what) : name_(std::move(name)), app_(what, name_) {
    app_.set_version_flag("--version", name_ + " (Trawl " TRAWL_VERSION ")");
    auto* sequential =
        app_.add_flag("--sequential", sequential_, "compute without Trawl, on one core");
    app_.add_flag("--check", check_, "compute both ways and compare")->excludes(sequential);
    app_.footer("The runtime's own flags begin with --trawl: and are listed by --trawl:help.");
  }

  /// An integer from `low` to `high`; `--NAME` with the default that is in `into`, or a needed
  /// `NAME`.
  template <class T>
  void add(const std::string& name, T& into, const std::string& what, T low, T high) {
    auto* option = app_.add_option(name, into, what)->check(CLI::Range(low, high));
    if (name.starts_with("-"))
      option->capture_default_str();
    else
      option->required();
  }

  /// Reads the command line, then computes; returns the exit code.
  template <class Parallel, class Sequential>
  int run(int argc, char** argv, Parallel parallel, Sequential sequential) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
      return app_.exit(asked);
    } catch (const CLI::ParseError& e) {
      std::string cause = e.what();
      std::replace(cause.begin(), cause.end(), '\n', ' ');
      std::cerr << fmt::format("{}: {} (see {} --help)\n", name_, cause, name_);
      return 2;
    }
    if (sequential_) {
      std::cout << timed("elapsed", sequential) << '\n';
      return 0;
    }
    const auto result = timed("elapsed", parallel);
    if (check_) {
      const auto expected = timed("sequential", sequential);
      if (result != expected) {
        std::cerr << fmt::format("{}: the parallel result is {}, the sequential one {}\n", name_,
                                 result, expected);
        return 1;
      }
    }
    std::cout << result << '\n';
    return 0;
  }

 private:
  template <class Compute>
  static auto timed(const char* label, Compute compute) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = compute();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::cerr << fmt::format("{}: {:.3f} s\n", label, time.count());
    return result;
  }

  std::string name_;
  CLI::App app_;
  bool sequential_ = false;
  bool check_ = false;
};

}  // namespace programs
