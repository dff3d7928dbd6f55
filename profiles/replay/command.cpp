#include "profiles/replay/command.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <trawl/inline/error.hpp>

#include "profiles/limits.hpp"
#include "profiles/parse.hpp"

namespace replay {
namespace {

using trawl::Error;

constexpr Nanos longest = 1'000'000'000'000;
constexpr std::string_view longest_said = "1000s";

[[noreturn]] void refuse(const std::string& option, std::string_view form) {
  throw Error(option + " needs " + std::string(form) + " (see trawl-replay --help)", 2);
}

double number(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size() ? value : -1;
}

/// 1500, 1.5us; -1: it is none.
Nanos time(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  double unit = 1;
  for (const auto& [name, nanos] : units) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = nanos;
    break;
  }
  const double value = number(text) * unit;
  return value >= 0 && value <= static_cast<double>(longest) ? std::llround(value) : -1;
}

std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> list;
  for (std::size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1))
    list.push_back(text.substr(0, comma));
  list.push_back(text);
  return list;
}

/// The values of an option, one after the other.
class Values {
 public:
  Values(std::string option, std::string_view form, std::string_view text, std::size_t count)
      : option_(std::move(option)), form_(form), left_(parts(text)) {
    if (left_.size() != count) refuse(option_, form_);
  }
  std::uint32_t whole(std::uint32_t least, std::uint32_t most) {
    const auto value = number(next());
    if (!(value >= least && value <= most && value == std::floor(value)))
      refuse_value("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::uint32_t>(value);
  }
  double share() {
    const auto value = number(next());
    if (!(value >= 0 && value <= 1)) refuse_value("a number from 0 to 1");
    return value;
  }
  Nanos work() {
    const auto value = time(next());
    if (value < 0) refuse_value("a time of up to " + std::string(longest_said));
    return value;
  }

 private:
  std::string_view next() { return left_[at_++]; }
  [[noreturn]] void refuse_value(const std::string& expected) const {
    refuse(option_,
           std::string(form_) + "; " + std::string(left_[at_ - 1]) + " is not " + expected);
  }

  std::string option_;
  std::string_view form_;
  std::vector<std::string_view> left_;
  std::size_t at_ = 0;
};

constexpr std::uint32_t many = 100'000'000;
constexpr std::uint32_t most_levels = 10'000;
constexpr std::uint32_t most_children = 10'000;

void take_flat(const std::string& text, Shape& shape) {
  Values values("--flat", "N,WORK, as 1000,10us", text, 2);
  shape.tree = Tree::flat;
  shape.children = values.whole(1, many);
  shape.work = values.work();
}

void refuse_endless(const std::string& option, const Shape& shape) {
  if (std::pow(shape.children, shape.depth) > 1e11)
    throw Error(option + ": that is more than 10^11 leaves", 2);
}

void take_divide(const std::string& text, Shape& shape) {
  Values values("--divide", "DEPTH,FANOUT,WORK, as 16,2,10us", text, 3);
  shape.tree = Tree::divide;
  shape.depth = values.whole(0, most_levels);
  shape.children = values.whole(1, most_children);
  shape.work = values.work();
  refuse_endless("--divide", shape);
}

void take_geometric(const std::string& text, Shape& shape) {
  Values values("--uts", "DEPTH,CHILDREN,WORK, as 10,4,1us", text, 3);
  shape.tree = Tree::geometric;
  shape.depth = values.whole(0, most_levels);
  shape.children = values.whole(1, most_children);
  shape.work = values.work();
  refuse_endless("--uts", shape);
}

void take_binomial(const std::string& text, Shape& shape) {
  Values values("--uts-binomial", "ROOTS,CHILDREN,PROBABILITY,WORK, as 2000,8,0.124,1us", text, 4);
  shape.tree = Tree::binomial;
  shape.roots = values.whole(1, most_children);
  shape.children = values.whole(1, most_children);
  shape.probability = values.share();
  shape.work = values.work();
  if (shape.probability * shape.children >= 1)
    throw Error(
        "--uts-binomial: CHILDREN times PROBABILITY must be less than 1, or the tree never "
        "ends",
        2);
}

std::vector<std::string> own_arguments(int argc, const char* const* argv) {
  std::vector<std::string> own;
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--trawl:")) own.emplace_back(argument);
  }
  return own;  // from the last to the first, as CLI11 takes them
}

// CLI11 takes -1 for a large one.
const CLI::Validator is_seed(
    [](const std::string& text) {
      std::uint64_t seed = 0;
      const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), seed);
      const bool good = wrong == std::errc() && end == text.data() + text.size();
      return good ? "" : text + " is no whole number from 0 to 2^64 - 1";
    },
    "");

/// Options that are read further.
struct Texts {
  std::string flat{}, divide{}, geometric{}, binomial{}, cut_off{};
};

void declare(CLI::App& app, Command& command, Texts& texts) {
  app.add_option("FILE", command.file, "a recording (--trawl:record=FILE)");
  app.add_option("--flat", texts.flat,
                 "N tasks, as par_map makes them: a list of up to 1024, or ranges that are halved")
      ->type_name("N,WORK");
  app.add_option("--divide", texts.divide, "a full tree, all work at its leaves")
      ->type_name("DEPTH,FANOUT,WORK");
  app.add_option("--uts", texts.geometric,
                 "an unbalanced tree; numbers of children vary geometrically about CHILDREN")
      ->type_name("DEPTH,CHILDREN,WORK");
  app.add_option("--uts-binomial", texts.binomial,
                 "a very unbalanced one: below the root, CHILDREN with that PROBABILITY, or none")
      ->type_name("ROOTS,CHILDREN,PROBABILITY,WORK");
  app.add_option("--scale-work", command.scale.work, "work is so many times what is recorded")
      ->check(trawl::within(0, 1e6))
      ->capture_default_str();
  app.add_option("--scale-bytes", command.scale.bytes, "so are a recording's arguments and results")
      ->check(trawl::within(0, 1e6))
      ->capture_default_str();
  app.add_option(
         "--cut-off", texts.cut_off,
         "calls and thunks of a recording with less work, and all under them, are no sparks")
      ->type_name("TIME");
  app.add_option("--chunk", command.grain.chunk,
                 "so many sparks of a list are one (of one function, without sparks in them)")
      ->check(CLI::Range(1U, 100'000'000U))
      ->capture_default_str();
  app.add_option("--spread", command.shape.spread,
                 "work of generated tasks varies by up to this share of it")
      ->check(trawl::within(0, 1))
      ->capture_default_str();
  app.add_option("--seed", command.shape.seed, "of generated graphs")
      ->check(is_seed)
      ->capture_default_str();
  app.add_flag("--info", command.info, "print what is in the graph, and evaluate nothing");
  app.add_option("--bound", command.bound,
                 "print the least time that this grid allows; after the evaluation also what "
                 "share of it was reached; with --info nothing is evaluated")
      ->type_name("GRID");
  app.set_version_flag("--version", "trawl-replay " TRAWL_VERSION);
  app.footer(
      "WORK and TIME are times: 500ns, 10us, 2.5ms, 1s (without a unit: ns). The runtime's own "
      "flags begin with --trawl: and "
      "are\n"
      "listed by --trawl:help. Exit code: 0; 1 if something was evaluated wrongly, or the output\n"
      "could not be written; 2 for bad usage or a damaged file.");
}

/// Do they make sense together?
void check(const CLI::App& app, const Command& command, const Texts& texts) {
  const auto given = !command.file.empty() + !texts.flat.empty() + !texts.divide.empty() +
                     !texts.geometric.empty() + !texts.binomial.empty();
  if (given != 1)
    throw Error(
        "give it one graph: FILE, --flat, --divide, --uts or --uts-binomial (see trawl-replay "
        "--help)",
        2);
  if (!command.file.empty() && (app.count("--seed") != 0 || app.count("--spread") != 0))
    throw Error(
        "--seed and --spread are for generated graphs, not for a recording (see trawl-replay "
        "--help)",
        2);
  if (command.file.empty() && (!texts.cut_off.empty() || command.grain.chunk != 1))
    throw Error("--cut-off and --chunk are for a recording (see trawl-replay --help)", 2);
  if (command.file.empty() && command.scale.bytes != 1)
    throw Error(
        "--scale-bytes is for a recording: a generated task is always 16 bytes, and its result 8 "
        "(see trawl-replay --help)",
        2);
}

void take(const Texts& texts, Command& command) {
  if (!texts.cut_off.empty()) command.grain.cut_off = time(texts.cut_off);
  if (command.grain.cut_off < 0)
    refuse("--cut-off", "a TIME of up to " + std::string(longest_said) + ", as 50us");
  if (!texts.flat.empty()) take_flat(texts.flat, command.shape);
  if (!texts.divide.empty()) take_divide(texts.divide, command.shape);
  if (!texts.geometric.empty()) take_geometric(texts.geometric, command.shape);
  if (!texts.binomial.empty()) take_binomial(texts.binomial, command.shape);
  if (command.file.empty())
    command.shape.work = std::llround(static_cast<double>(command.shape.work) * command.scale.work);
}

}  // namespace

Command read_command(int argc, const char* const* argv) {
  Command command;
  Texts texts;
  CLI::App app("Evaluates a task graph on Trawl with declared work instead of computing.",
               "trawl-replay");
  declare(app, command, texts);
  command.answer = trawl::parse_command_line(app, own_arguments(argc, argv));
  if (!command.answer.empty()) return command;
  check(app, command, texts);
  take(texts, command);
  return command;
}

}  // namespace replay
