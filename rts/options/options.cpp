#include "rts/options/options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "rts/base/c_locale.hpp"
#include "rts/inline/error.hpp"
#include "rts/options/flag_file.hpp"
#include "rts/options/flags.hpp"
#include "rts/options/octal.hpp"
#include "rts/options/several_hosts.hpp"

namespace trawl {
namespace {

constexpr std::string_view prefix = "--trawl:";
constexpr std::string_view flags_prefix = "--trawl:flags";
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

// Lets no NaN pass, and no number that ends in something else.
std::string within(const Flag& flag, const std::string& value) {
  if (is_octal(value)) return value + " begins with 0";
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || end != value.c_str() + value.size() || std::isnan(number))
    return value + " is no number";
  const bool is_hexadecimal = value.find_first_of("xX") != std::string::npos;
  const bool is_fraction = value.find_first_of(is_hexadecimal ? ".pP" : ".eE") != std::string::npos;
  if (flag.is_whole_number() && is_fraction) return value + " is no whole number";
  if (number == 0 && flag.or_zero) return "";
  return number >= flag.least && number <= flag.most ? ""
                                                     : value + " is not within " + flag.range();
}

// CLI11 would answer with a long list of units.
std::string take_size(std::string& value) {
  const auto given = value;
  if (is_octal(value)) return value + " begins with 0";
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
    for (const auto& flag : flags())
      std::visit([&](auto member) { add(flag, options.*member); }, flag.target);
  }

  /// One flag; `name` is how the user knows it, `value` what he gave it, if anything.
  void take(const std::string& flag, const std::string& name,
            const std::optional<std::string>& value) {
    const auto* row = find_flag(flag);
    if (row == nullptr) refuse(name, flag);
    if (row->needs_value() && value.value_or("").empty())
      throw Error(name + " needs a value: " + name + "=" + std::string(row->value) + advice, 2);
    if (row->is_switch() && value && *value != "on" && *value != "off")
      throw Error(name + " is on or off, not " + *value + advice, 2);
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

  /// One as it is written: --trawl:NAME=VALUE.
  void take_word(const std::string& word) {
    const auto equals = word.find('=');
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    const auto name = word.substr(0, equals);
    take(name.substr(prefix.size()), name, value);
  }

  void take_file(const std::string& file) {
    for (const auto& [place, word] : read_flag_file(file)) try {
        if (word.substr(0, word.find('=')) == flags_prefix)
          throw Error("a file of flags names no other (" + word + ")", 2);
        take_word(word);
      } catch (const Error& wrong) {
        throw Error(place + ": " + wrong.what(), 2);
      }
  }

  void take_environment() {
    for (const auto& flag : flags()) {
      if (!flag.takes_environment()) continue;
      const auto name = environment_name(std::string(flag.name));
      const char* value = std::getenv(name.c_str());
      if (value != nullptr && *value != '\0') take(std::string(flag.name), name, value);
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

 private:
  /// An entry of the environment that looks like a flag's and is none.
  void refuse_stranger(std::string_view entry) const {
    const auto equals = entry.find('=');
    const auto name = std::string(entry.substr(0, equals));
    const bool empty = equals == std::string_view::npos || equals + 1 == entry.size();
    if (empty || !name.starts_with(environment_prefix) || name.starts_with(test_prefix) ||
        name == several_hosts)
      return;
    const auto flag = lower(name.substr(environment_prefix.size()));
    const auto* row = find_flag(flag);
    if (row != nullptr && row->takes_environment() && environment_name(flag) == name) return;
    if (row != nullptr && !row->takes_environment())
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
    for (const auto& flag : flags()) {
      const auto slips = slips_between(name, flag.name);
      if (slips >= least) continue;
      least = slips;
      found = flag.name;
    }
    return found;
  }

  static std::string written(const Flag& flag) { return "--" + std::string(flag.name); }

  template <class T>
  void add(const Flag& flag, T& into) {
    auto* option = app_.add_option(written(flag), into);
    if constexpr (std::is_same_v<T, std::size_t>) option->transform(CLI::Validator(take_size, ""));
    if (flag.is_number())
      option->check([&flag](const std::string& value) { return within(flag, value); });
    if (flag.choices != nullptr) option->check(CLI::IsMember(flag.choices()));
  }

  void add(const Flag& flag, bool& into) { app_.add_flag(written(flag), into); }

  void add(const Flag& flag, StatsFormat& into) {
    app_.add_option_function<std::string>(written(flag),
                                          [&into](const std::string& format) {
                                            into = format == "json" ? StatsFormat::json
                                                                    : StatsFormat::text;
                                          })
        ->expected(0, 1)
        ->default_str("text")
        ->check(CLI::IsMember(flag.choices()));
  }

  CLI::App app_;
  std::set<std::string> given_;
};

void put(Writer& to, const std::string& value) {
  to.put_string(value);
}

template <class T>
void put(Writer& to, T value) {
  to.put(value);
}

/// Which file of flags is named: the last one, as of all flags; empty: none.
std::string flag_file(const std::vector<std::string>& args) {
  const char* told = std::getenv("TRAWL_FLAGS");
  std::string file = told == nullptr ? "" : told;
  for (std::size_t i = 1; i < args.size() && args[i] != "--"; ++i)
    if (args[i].starts_with(flags_prefix) && args[i].substr(flags_prefix.size(), 1) == "=")
      file = args[i].substr(flags_prefix.size() + 1);
  return file;
}

}  // namespace

Options take_options(std::vector<std::string>& args) {
  const CLocale numbers_have_points;
  Options options;
  if (std::getenv(several_hosts) != nullptr) options.silence = silence_between_hosts;
  Flags flags(options);
  if (const auto file = flag_file(args); !file.empty()) flags.take_file(file);
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
    flags.take_word(arg);
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

Options options_to_join(const std::vector<std::string>& args) {
  const CLocale numbers_have_points;
  Options options;
  Flags flags(options);
  const auto take = [&flags](const std::string& flag, std::string_view value) {
    try {
      flags.take(flag, flag, std::string(value));
    } catch (const Error&) {  // it was said before what is wrong
    }
  };
  std::vector<FlagInFile> in_file;
  try {
    if (const auto file = flag_file(args); !file.empty()) in_file = read_flag_file(file);
  } catch (const Error&) {  // said, too
  }
  for (const std::string flag :
       {"fabric", "join", "meet", "pes", "seats", "key", "encrypt", "start-wait"}) {
    const auto given = std::string(prefix) + flag + "=";
    for (const auto& [place, word] : in_file)
      if (word.starts_with(given)) take(flag, std::string_view(word).substr(given.size()));
    const char* value = std::getenv(environment_name(flag).c_str());
    if (value != nullptr) take(flag, value);
    for (const auto& arg : args)
      if (arg.starts_with(given)) take(flag, std::string_view(arg).substr(given.size()));
  }
  return options;
}

std::uint64_t flags_digest(const Options& options, const std::vector<std::string>& args) {
  Writer shared;
  for (std::size_t i = 1; i < args.size(); ++i) shared.put_string(args[i]);
  for (const auto& flag : flags())
    if (flag.alike) std::visit([&](auto member) { put(shared, options.*member); }, flag.target);
  std::uint64_t digest = 0xCBF2'9CE4'8422'2325;  // FNV-1a
  for (const auto byte : shared.view())
    digest = (digest ^ static_cast<std::uint64_t>(byte)) * 0x100'0000'01B3;
  return std::max<std::uint64_t>(digest, 1);
}

}  // namespace trawl
