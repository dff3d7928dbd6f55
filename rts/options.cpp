#include "rts/options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "rts/balance/policy.hpp"

namespace trawl {
namespace {

constexpr std::string_view prefix = "--trawl:";

std::string environment_name(std::string name) {
  for (char& c : name)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "TRAWL_" + name;
}

std::string is_no_nan(const std::string& value) {
  return std::isnan(std::strtod(value.c_str(), nullptr)) ? "Value " + value + " is no number" : "";
}

class Flags {
 public:
  explicit Flags(Options& options) : app_("The runtime's flags") {
    app_.set_help_flag();
    app_.get_formatter()->column_width(32);
    add("workers", options.workers, "worker threads of a PE (0: its share of the host's cores)",
        CLI::Range(0, 1024));
    add("thread-limit", options.thread_limit, "live threads of a PE, runnable and blocked",
        CLI::Range(1U, 1U << 20U));
    add("low-watermark", options.low_watermark,
        "fish when there are fewer sparks than this, even while busy", CLI::Range(0U, 1U << 20U));
    add("spark-pool", options.spark_pool, "sparks that a worker's pool holds",
        CLI::Range(std::size_t{1}, std::size_t{1} << 28U));
    add("stack-size", options.stack_size, "stack of a thread (bytes; 64K, 8M)",
        CLI::Range(std::size_t{32} << 10U, std::size_t{1} << 40U));
    add("heap", options.heap, "heap that a PE starts with (bytes; 64M, 1G)",
        CLI::Range(std::size_t{1} << 20U, std::size_t{1} << 40U));
    add("max-fish", options.max_fish, "FISH of a PE that may be under way", CLI::Range(1U, 1024U));
    add("fish-delay", options.fish_delay, "wait after a FISH came home empty, at first (us)",
        CLI::Range(0.01, 1e9));
    add("fish-delay-max", options.fish_delay_max, "... and after many (us)", CLI::Range(0.01, 1e9));
    add("policy", options.policy, "where to fish: " + policies(),
        CLI::IsMember(balance::policy_names()));
    add("packet-size", options.packet_size, "bytes after which a packet holds only references",
        CLI::Range(std::size_t{0}, std::size_t{1} << 40U));
    add("thunks-per-packet", options.thunks_per_packet,
        "thunks that may move along with the one that was asked for",
        CLI::Range(std::size_t{0}, std::size_t{1} << 31U));
    add("cluster", options.cluster, "name of this PE's cluster (default: its host)");
    add("speed", options.speed, "relative speed of this PE (0: measured at start)",
        CLI::Range(0.0, 1e12));
    add("silence", options.silence, "seconds of silence after which a PE counts as lost",
        CLI::Range(0.1, 1e6));
    add("trace", options.trace, "write an event log into this directory (see trawl-profile)");
    add_stats(options);
    app_.add_flag("--help", options.help, "print this and exit");
    app_.add_flag("--version", options.version, "print Trawl's version and exit");
  }

  void parse(const std::vector<std::string>& args) {
    // CLI11 wants them in reverse.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::Error& e) {
      std::string cause = e.what();
      for (std::size_t at = 0; (at = cause.find("--", at)) != std::string::npos;
           at += prefix.size())
        cause.replace(at, 2, prefix);
      std::replace(cause.begin(), cause.end(), '\n', ' ');
      throw Error(cause + " (--trawl:help lists the runtime's flags)", 2);
    }
  }

  std::string help() {
    std::string text = app_.help("", CLI::AppFormatMode::All);
    text.erase(0, text.find("  --"));
    for (std::size_t at = 0; (at = text.find("  --", at)) != std::string::npos; at += prefix.size())
      text.replace(at + 2, 2, prefix);
    return "Flags of the Trawl runtime, written --trawl:NAME=VALUE, with their defaults. Each may "
           "also be\n"
           "set in the environment, as TRAWL_NAME, where the command line has the last word.\n\n" +
           text;
  }

 private:
  template <class T, class... Check>
  void add(const std::string& name, T& into, const std::string& what, Check... check) {
    auto* option = app_.add_option("--" + name, into, what)
                       ->envname(environment_name(name))
                       ->capture_default_str()
                       ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if constexpr (std::is_same_v<T, std::size_t>) option->transform(CLI::AsSizeValue(false));
    if constexpr (std::is_floating_point_v<T>) option->check(is_no_nan);  // a range lets it pass
    (option->check(check), ...);
    option->option_text(option->get_default_str().empty() ? "X"
                                                          : "(" + option->get_default_str() + ")");
  }

  void add_stats(Options& options) {
    app_.add_option_function<std::string>(
            "--stats",
            [&options](const std::string& format) {
              options.stats = format == "json" ? StatsFormat::json : StatsFormat::text;
            },
            "print statistics at the end: text or json")
        ->envname("TRAWL_STATS")
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
};

}  // namespace

Options take_options(std::vector<std::string>& args) {
  std::vector<std::string> ours;
  std::vector<std::string> rest;
  bool only_program = false;
  for (const auto& arg : args) {
    only_program = only_program || arg == "--";
    if (!only_program && arg == prefix)
      throw Error("--trawl: names no flag (--trawl:help lists the runtime's flags)", 2);
    if (!only_program && arg.starts_with(prefix))
      ours.push_back("--" + arg.substr(prefix.size()));
    else
      rest.push_back(arg);
  }
  Options options;
  Flags(options).parse(ours);
  if (options.fish_delay_max < options.fish_delay) options.fish_delay_max = options.fish_delay;
  args = std::move(rest);
  return options;
}

std::string options_help() {
  Options defaults;
  return Flags(defaults).help();
}

}  // namespace trawl
