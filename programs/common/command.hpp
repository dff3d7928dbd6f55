// What the programs share: their command line, and how they are checked.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "programs/common/clock.hpp"

namespace programs {

/// What the user brought can't be used: a message that names the cause and the cure.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Can a file of this name be written? Throws BadInput if not; ask before computing. It is not
/// opened: what is in it stays until there is something better, and who reads from a pipe goes on.
inline void check_writable(const std::string& file) {
  const auto folder = std::filesystem::path(file).parent_path();
  std::error_code missing;
  if (std::filesystem::is_directory(file, missing))
    errno = EISDIR;
  else if (access(file.c_str(), W_OK) == 0)
    return;
  else if (errno == ENOENT && !file.empty() &&
           access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0)
    return;
  throw BadInput(fmt::format("{}: can't be written: {}", file, std::strerror(errno)));
}

/// A program that computes the same in parallel and sequentially. The result goes to standard
/// output, all else to standard error. Exit codes: 0; 1 if --check found something wrong; 2 for bad
/// arguments and for BadInput.
class Command {
 public:
  Command(std::string name, const std::string& what) : name_(std::move(name)), app_(what, name_) {
    app_.set_version_flag("--version", name_ + " (Trawl " TRAWL_VERSION ")");
    auto* sequential =
        app_.add_flag("--sequential", sequential_, "compute without Trawl, on one core");
    app_.add_flag("--check", check_, "check the result")->excludes(sequential);
    app_.footer("The runtime's own flags begin with --trawl: and are listed by --trawl:help.");
  }

  /// A number from `low` to `high`; `--NAME` with the default that is in `into`, or a needed
  /// `NAME`.
  template <class T>
  void add(const std::string& name, T& into, const std::string& what, T low, T high) {
    CLI::Validator range = CLI::Range(low, high);
    if constexpr (std::is_floating_point_v<T>)
      range.operation([low, high](const std::string& text) { return fault_of(text, low, high); });
    auto* option = app_.add_option(name, into, what)->check(range);
    if (name.starts_with("-"))
      option->capture_default_str();
    else
      option->required();
  }

  /// One of these names. (CLI11's transformers take the numbers behind them too, and print them.)
  template <class T>
  void add_choice(const std::string& name, T& into, const std::string& what,
                  const std::map<std::string, T>& choices) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    const auto take = [&into, choices](const std::string& text) { into = choices.at(text); };
    app_.add_option_function<std::string>(name, take, what)->check(CLI::IsMember(names));
  }

  /// For options of other kinds.
  CLI::App& options() { return app_; }

  /// Reads the command line, then computes; returns the exit code. --check compares the two.
  template <class Parallel, class Sequential>
  int run(int argc, char** argv, Parallel parallel, Sequential sequential) {
    const auto wrong = [&](const auto& result) -> std::string {
      const auto expected = timed("sequential", sequential);
      if (result == expected) return "";
      return fmt::format("the parallel result is {}, the sequential one {}", result, expected);
    };
    const auto print = [](const auto& result) { std::cout << result << '\n'; };
    return run(argc, argv, parallel, sequential, wrong, print);
  }

  /// The same, for results that are checked or given out in a way of their own: `wrong(result)`
  /// says what is wrong with it, or nothing.
  template <class Parallel, class Sequential, class Wrong, class Print>
  int run(int argc, char** argv, Parallel parallel, Sequential sequential, Wrong wrong,
          Print print) {
    try {
      app_.parse(argc, argv);
      if (sequential_) {
        print(timed("elapsed", sequential));
        return 0;
      }
      const auto result = timed("elapsed", parallel);
      if (const std::string fault = check_ ? wrong(result) : ""; !fault.empty())
        return complain(fault, 1);
      print(result);
      return 0;
    } catch (const CLI::Success& asked) {  // --help, --version
      return app_.exit(asked);
    } catch (const CLI::ExtrasError&) {
      return complain(
          fmt::format("not expected: {} (see {} --help)", fmt::join(app_.remaining(), " "), name_),
          2);
    } catch (const CLI::ParseError& e) {
      std::string cause = e.what();
      std::replace(cause.begin(), cause.end(), '\n', ' ');
      return complain(fmt::format("{} (see {} --help)", cause, name_), 2);
    } catch (const BadInput& e) {
      return complain(e.what(), 2);
    }
  }

 private:
  /// CLI11 takes nan to be within any limits, and says small ones as 0.
  template <class T>
  static std::string fault_of(const std::string& text, T low, T high) {
    T value{};
    if (!CLI::detail::lexical_cast(text, value) || std::isnan(value)) return text + " is no number";
    if (low <= value && value <= high) return "";
    return fmt::format("Value {} not in range {} to {}", text, low, high);
  }

  int complain(const std::string& what, int code) const {
    std::cerr << fmt::format("{}: {}\n", name_, what);
    return code;
  }

  template <class Compute>
  static auto timed(const char* label, Compute compute) {
    const double begin = now();
    auto result = compute();
    std::cerr << fmt::format("{}: {:.3f} s\n", label, now() - begin);
    return result;
  }

  std::string name_;
  CLI::App app_;
  bool sequential_ = false;
  bool check_ = false;
};

}  // namespace programs
