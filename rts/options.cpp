#include "rts/options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "rts/balance/policy.hpp"
#include "rts/error.hpp"

namespace trawl {
namespace {

constexpr std::string_view prefix = "--trawl:";
constexpr std::string_view environment_prefix = "TRAWL_";
constexpr std::string_view test_prefix = "TRAWL_TEST_";  // what unit tests read, and no run
constexpr const char* advice = " (--trawl:help lists the runtime's flags)";
constexpr std::size_t most_slips = 2;  // of the fingers; what differs by more means something else

std::string environment_name(std::string name) {
  for (char& c : name)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::string(environment_prefix) + name;
}

std::string lower(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// Letters to be put in, left out, changed, or swapped with the next to get from one to the other.
std::size_t slips_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before, last, row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t differs = one[i - 1] == other[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

/// An argument that is no flag of the runtime's, but looks like one: -trawl:stats, --trawl-stats,
/// --trwal:stats.
struct Slip {
  bool certain;      // the runtime is named; else only something like it
  std::string flag;  // what may have been meant: "stats"; "" of --trawl
};

std::optional<Slip> slip_in(const std::string& argument) {
  const auto begin = argument.find_first_not_of('-');
  if (begin == 0 || begin == std::string::npos) return std::nullopt;
  const auto text = lower(std::string_view(argument).substr(begin));
  const auto end =
      std::min(text.size(), text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"));
  const auto word = text.substr(0, end);
  const bool marked = end < text.size() && text[end] == ':';
  if (word != "trawl" && !(marked && slips_between(word, "trawl") <= most_slips))
    return std::nullopt;
  return Slip{word == "trawl", end < text.size() ? text.substr(end + 1) : ""};
}

// A range would only say that it is not in it, and lets NaN pass.
std::string is_number(const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool whole = end != value.c_str() && *end == '\0' && !std::isnan(number);
  return whole ? "" : value + " is no number";
}

// CLI11 would answer with a long list of units.
std::string take_size(std::string& value) {
  const auto given = value;
  try {
    CLI::AsSizeValue(false)(value);
    return "";
  } catch (const CLI::Error&) {
    return given + " is no size (512, 64K, 8M, 1G)";
  }
}

class Flags {
 public:
  explicit Flags(Options& options) : app_("The runtime's flags") {
    app_.set_help_flag();
    app_.get_formatter()->column_width(32);
    add("workers", "N", options.workers,
        "worker threads of a PE (0: its share of the host's cores)", CLI::Range(0, most_workers));
    add("thread-limit", "N", options.thread_limit, "live threads of a PE, runnable and blocked",
        CLI::Range(1U, 1U << 20U));
    add("low-watermark", "N", options.low_watermark,
        "fish when there are fewer sparks than this, even while busy", CLI::Range(0U, 1U << 20U));
    add("spark-pool", "N", options.spark_pool, "sparks that a worker's pool holds",
        CLI::Range(std::size_t{1}, std::size_t{1} << 28U));
    add("stack-size", "BYTES", options.stack_size, "stack of a thread (bytes; 64K, 8M)",
        CLI::Range(std::size_t{32} << 10U, std::size_t{1} << 40U));
    add("heap", "BYTES", options.heap, "heap that a PE starts with (bytes; 64M, 1G)",
        CLI::Range(std::size_t{1} << 20U, std::size_t{1} << 40U));
    add("collect-every", "N", options.collect_every,
        "collect at every N-th allocation: slow; finds what the collector can't see (0: off)",
        CLI::Range(0U, 1U << 30U));
    add("max-fish", "N", options.max_fish, "FISH of a PE that may be under way",
        CLI::Range(1U, 1024U));
    add("fish-delay", "MICROSECONDS", options.fish_delay,
        "how long a FISH waits for a spark where there is none, at first (us)",
        CLI::Range(0.01, 1e9));
    add("fish-delay-max", "MICROSECONDS", options.fish_delay_max,
        "... and after many in vain (us); fish-delay if that is longer", CLI::Range(0.01, 1e9));
    add("policy", "NAME", options.policy, "where to fish: " + policies(),
        CLI::IsMember(balance::policy_names()));
    add("packet-size", "BYTES", options.packet_size,
        "bytes after which a packet holds only references",
        CLI::Range(std::size_t{0}, std::size_t{1} << 40U));
    add("thunks-per-packet", "N", options.thunks_per_packet,
        "thunks that may move along with the one that was asked for",
        CLI::Range(std::size_t{0}, std::size_t{1} << 31U));
    add("cluster", "NAME", options.cluster, "name of this PE's cluster (default: its host)");
    add("speed", "NUMBER", options.speed, "relative speed of this PE (0: measured at start)",
        CLI::Range(0.0, 1e12));
    add("silence", "SECONDS", options.silence, "seconds of silence after which a PE counts as lost",
        CLI::Range(0.1, 1e6));
    add("trace", "DIR", options.trace,
        "write an event log into this directory (see trawl-profile)");
    add_stats(options);
    add("stats-file", "FILE", options.stats_file,
        "print them into this file instead (text unless --trawl:stats=json)");
    app_.add_flag("--help", options.help, "print this and exit");
    app_.add_flag("--version", options.version, "print Trawl's version and exit");
  }

  /// One flag; `name` is how the user knows it, `value` what he gave it, if anything.
  void take(const std::string& flag, const std::string& name,
            const std::optional<std::string>& value) {
    const auto* option = app_.get_option_no_throw("--" + flag);
    if (option == nullptr || flag.empty()) refuse(name, flag);
    if (types_.contains(flag) && value.value_or("").empty())
      throw Error(name + " needs a value: " + name + "=" + types_.at(flag) + advice, 2);
    try {
      app_.parse(std::vector<std::string>{"--" + flag + (value ? "=" + *value : "")});
    } catch (const CLI::Error& e) {
      std::string cause = e.what();
      if (const auto at = cause.find("--" + flag); at != std::string::npos)
        cause.replace(at, 2 + flag.size(), name);
      std::replace(cause.begin(), cause.end(), '\n', ' ');
      throw Error(cause + advice, 2);
    }
    given_.insert(flag);
  }

  void take_environment() {
    for (const auto* option : app_.get_options()) {
      const auto& flag = option->get_lnames().front();
      if (flag == "help" || flag == "version") continue;
      const auto name = environment_name(flag);
      const char* value = std::getenv(name.c_str());
      if (value != nullptr && *value != '\0') take(flag, name, value);
    }
    for (char** entry = environ; *entry != nullptr; ++entry) refuse_stranger(*entry);
  }

  /// `meant` is what there is of a flag's name in what was given.
  [[noreturn]] void refuse(const std::string& name, const std::string& meant) const {
    const auto flag = nearest(meant);
    throw Error(name + " is no flag" +
                    (flag.empty() ? "" : ": did you mean " + std::string(prefix) + flag + "?") +
                    advice,
                2);
  }

  /// Refuses an argument that the user took for a flag; `next` is the one behind it.
  void refuse_slip(const std::string& argument, const std::string& next) const {
    const auto slip = slip_in(argument);
    if (!slip) return;
    const auto& meant = slip->flag.empty() ? next : slip->flag;
    if (slip->certain || !nearest(meant).empty()) refuse(argument, meant);
  }

  bool given(const std::string& flag) const { return given_.contains(flag); }

  std::string help() {
    std::string text = app_.help("", CLI::AppFormatMode::All);
    text.erase(0, text.find("  --"));
    for (std::size_t at = 0; (at = text.find("  --", at)) != std::string::npos; at += prefix.size())
      text.replace(at + 2, 2, prefix);
    return "Flags of the Trawl runtime, written --trawl:NAME=VALUE, with their defaults. Each but "
           "the last\n"
           "two may also be set in the environment, as TRAWL_NAME with _ for - (TRAWL_STACK_SIZE); "
           "the\n"
           "command line has the last word. Other TRAWL_ variables are refused, but "
           "TRAWL_TEST_.\n\n" +
           text;
  }

 private:
  /// An entry of the environment that looks like a flag's and is none.
  void refuse_stranger(std::string_view entry) const {
    const auto equals = entry.find('=');
    const auto name = std::string(entry.substr(0, equals));
    const bool empty = equals == std::string_view::npos || equals + 1 == entry.size();
    if (empty || !name.starts_with(environment_prefix) || name.starts_with(test_prefix)) return;
    const auto flag = lower(name.substr(environment_prefix.size()));
    const auto* option = app_.get_option_no_throw("--" + flag);
    const bool only_argument = flag == "help" || flag == "version";
    if (option != nullptr && !only_argument && environment_name(flag) == name) return;
    if (only_argument)
      throw Error(name + " is no flag: write " + std::string(prefix) + flag + " behind the program",
                  2);
    const auto other = nearest(flag);
    throw Error(name + " is no flag" +
                    (other.empty() ? "" : ": did you mean " + environment_name(other) + "?") +
                    advice,
                2);
  }

  /// The flag that is most like it; empty, if none is much.
  std::string nearest(const std::string& given) const {
    const auto name = lower(std::string_view(given).substr(0, given.find('=')));
    std::string found;
    auto least = std::min(most_slips, name.size() / 2) + 1;
    for (const auto* option : app_.get_options()) {
      const auto& flag = option->get_lnames().front();
      const auto slips = slips_between(name, flag);
      if (slips >= least) continue;
      least = slips;
      found = flag;
    }
    return found;
  }

  template <class T, class... Check>
  void add(const std::string& name, const std::string& type, T& into, const std::string& what,
           Check... check) {
    types_[name] = type;
    auto* option = app_.add_option("--" + name, into, what)->capture_default_str();
    if constexpr (std::is_same_v<T, std::size_t>) option->transform(CLI::Validator(take_size, ""));
    if constexpr (std::is_arithmetic_v<T>) option->check(is_number);
    (option->check(check), ...);
    const auto shown = option->get_default_str();
    option->option_text(shown.empty() ? type : "(" + shown + ")");
  }

  void add_stats(Options& options) {
    app_.add_option_function<std::string>(
            "--stats",
            [&options](const std::string& format) {
              options.stats = format == "json" ? StatsFormat::json : StatsFormat::text;
            },
            "print statistics at the end, on standard error: text or json")
        ->expected(0, 1)
        ->default_str("text")
        ->option_text("[=FORMAT]")
        ->check(CLI::IsMember({"text", "json"}));
  }

  static std::string policies() {
    std::string text;
    for (const auto name : balance::policy_names())
      text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
  }

  CLI::App app_;
  std::map<std::string, std::string> types_;  // what the value of a flag that needs one is
  std::set<std::string> given_;
};

}  // namespace

Options take_options(std::vector<std::string>& args) {
  Options options;
  Flags flags(options);
  flags.take_environment();
  std::vector<std::string> rest;
  bool only_program = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto& arg = args[i];
    only_program = only_program || arg == "--";
    if (i == 0 || only_program || !arg.starts_with(prefix)) {
      if (i != 0 && !only_program) flags.refuse_slip(arg, i + 1 < args.size() ? args[i + 1] : "");
      rest.push_back(arg);
      continue;
    }
    const auto equals = arg.find('=');
    std::optional<std::string> value;
    if (equals != std::string::npos) value = arg.substr(equals + 1);
    const auto name = arg.substr(0, equals);
    flags.take(name.substr(prefix.size()), name, value);
  }
  if (options.fish_delay_max < options.fish_delay) {
    if (flags.given("fish-delay-max"))
      throw Error("--trawl:fish-delay-max is less than --trawl:fish-delay", 2);
    options.fish_delay_max = options.fish_delay;
  }
  if (!options.stats_file.empty() && options.stats == StatsFormat::none)
    options.stats = StatsFormat::text;
  args = std::move(rest);
  return options;
}

std::uint64_t flags_digest(const Options& options, const std::vector<std::string>& args) {
  Writer shared;
  for (std::size_t i = 1; i < args.size(); ++i) shared.put_string(args[i]);
  shared.put_string(options.policy);
  shared.put(options.silence);
  shared.put(options.help);
  shared.put(options.version);
  std::uint64_t digest = 0xCBF2'9CE4'8422'2325;  // FNV-1a
  for (const auto byte : shared.view())
    digest = (digest ^ static_cast<std::uint64_t>(byte)) * 0x100'0000'01B3;
  return std::max<std::uint64_t>(digest, 1);
}

std::string options_help() {
  Options defaults;
  return Flags(defaults).help();
}

}  // namespace trawl
