// A program's command line, and how its result is checked. CLI11, which reads it, is compiled in
// command.cpp alone: it takes the compiler longer than most programs do.
#pragma once

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "programs/common/bad_input.hpp"
#include "programs/common/clock.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace programs {

/// One of a command's options.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// Its value is one of these names.
  Option among(const std::vector<std::string>& names);
  /// It must be given.
  Option needed();
  /// Its default, which is what it is stored in, is in --help.
  Option with_default();
  /// Only together with the other, or only without it.
  Option needs(Option other);
  Option excludes(Option other);
  /// It means nothing where nothing runs in parallel.
  Option not_sequential();
  /// Was it? Once the command line has been read.
  bool given() const;

 private:
  CLI::Option* option_;
};

/// A program that computes the same in parallel and sequentially. The result goes to standard
/// output, all else to standard error. Exit codes: 0; 1 if --check found something wrong; 2 for bad
/// arguments and for BadInput. An option is `--NAME`, or a `NAME` that stands alone.
class Command {
 public:
  Command(std::string name, const std::string& what);
  ~Command();

  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// A number from `low` to `high`, with the default that is in `into`; or a needed `NAME`.
  template <class T>
  Option add(const std::string& name, T& into, const std::string& what, T low, T high) {
    const auto option = add_number(name, into, what, low, high);
    return name.starts_with("-") ? Option(option).with_default() : Option(option).needed();
  }
  /// The same where the default means something that is said in `what`.
  template <class T>
  Option add_number(const std::string& name, T& into, const std::string& what, T low, T high);

  /// One of these names.
  template <class T>
  Option add_choice(const std::string& name, T& into, const std::string& what,
                    const std::map<std::string, T>& choices) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    return add_name(name, what, names,
                    [&into, choices](const std::string& given) { into = choices.at(given); });
  }
  Option add_name(const std::string& name, const std::string& what,
                  const std::vector<std::string>& names,
                  const std::function<void(const std::string&)>& take);

  Option add_text(const std::string& name, std::string& into, const std::string& what);
  Option add_texts(const std::string& name, std::vector<std::string>& into,
                   const std::string& what);
  Option add_flag(const std::string& name, bool& into, const std::string& what);

  /// Called with all options read, before the clock starts; may throw BadInput.
  void before(const std::function<void()>& prepare);

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
      if (const auto code = parse(argc, argv)) return *code;
      if (sequential_) {
        print(timed("elapsed", sequential));
        return 0;
      }
      const auto result = timed("elapsed", parallel);
      if (const std::string fault = check_ ? wrong(result) : ""; !fault.empty())
        return complain(fault, 1);
      print(result);
      return 0;
    } catch (const BadInput& e) {
      return complain(e.what(), 2);
    }
  }

 private:
  /// The exit code, if there is nothing to be computed.
  std::optional<int> parse(int argc, char** argv);
  int complain(const std::string& what, int code) const;

  template <class Compute>
  static auto timed(const char* label, Compute compute) {
    const double begin = now();
    auto result = compute();
    std::cerr << fmt::format("{}: {:.3f} s\n", label, now() - begin);
    return result;
  }

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  bool sequential_ = false;
  bool check_ = false;
};

}  // namespace programs
