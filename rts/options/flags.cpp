#include "rts/options/flags.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rts/balance/registered.hpp"

namespace trawl {
namespace {

constexpr double kilo = 1024;
constexpr double mega = kilo * kilo;
constexpr double giga = kilo * mega;
constexpr double tera = kilo * giga;

std::vector<std::string_view> stats_formats() {
  return {"text", "json"};
}

std::vector<std::string_view> fabrics() {
  return {"mpi", "net"};
}

std::vector<std::string_view> on_or_off() {
  return {"on", "off"};
}

constexpr std::array table{
    Flag{"workers", "N", &Options::workers, 0, most_workers,
         "worker threads of a PE (0: its share of the host's cores)"},
    Flag{"thread-limit", "N", &Options::thread_limit, 1, mega,
         "live threads of a PE, runnable and blocked"},
    Flag{"low-watermark", "N", &Options::low_watermark, 0, mega,
         "fish when there are fewer sparks than this, even while busy"},
    Flag{"spark-pool", "N", &Options::spark_pool, 1, 256 * mega,
         "sparks that a worker's pool holds"},
    Flag{"stack-size", "BYTES", &Options::stack_size, 32 * kilo, tera,
         "stack of a thread (bytes; 64K, 8M)"},
    Flag{"heap", "BYTES", &Options::heap, mega, tera,
         "heap that a PE starts with (bytes; 64M, 1G); it grows while collections take more than a "
         "tenth of the time"},
    Flag{"heap-max", "BYTES", &Options::heap_max, mega, tera,
         "memory that a PE may use: its heap is no larger (an eighth, for what messages bring), "
         "and near it it takes no work from others "
         "(bytes; 0: no bound, but it takes none near its share of the host's, or of what control "
         "groups allow)",
         nullptr, false, true},
    Flag{"collect-every", "N", &Options::collect_every, 0, giga,
         "collect at every N-th allocation: slow; finds what the collector can't see (0: off)"},
    Flag{"max-fish", "N", &Options::max_fish, 0, 1024,
         "FISH of a PE that may be under way (0: one near PE's, and far ones as the policy wants)"},
    Flag{"fish-delay", "MICROSECONDS", &Options::fish_delay, 0.01, 1e9,
         "how long a FISH waits for a spark where there is none, at first (us)"},
    Flag{"fish-delay-max", "MICROSECONDS", &Options::fish_delay_max, 0.01, 1e9,
         "... and after many in vain (us); fish-delay if that is longer"},
    Flag{"policy", "NAME", &Options::policy, 0, 0, "where to fish", balance::all_policy_names,
         true},
    Flag{"packet-size", "BYTES", &Options::packet_size, 0, tera,
         "bytes after which a packet holds only references"},
    Flag{"thunks-per-packet", "N", &Options::thunks_per_packet, 0, 2 * giga,
         "thunks that may move along with the one that was asked for (four times as many, "
         "for who asks for one after the other)"},
    Flag{"cluster", "NAME", &Options::cluster, 0, 0,
         "name of this PE's cluster (default: its host)"},
    Flag{"speed", "NUMBER", &Options::speed, 0, 1e12,
         "relative speed of this PE (0: measured at start)"},
    Flag{"silence", "SECONDS", &Options::silence, 0.1, 1e6,
         "seconds of silence after which a PE counts as lost (trawl-run, on several hosts: 3)",
         nullptr, true},
    Flag{"recover", "WORD", &Options::recover, 0, 0,
         "go on when a PE other than the main one has died, where messages survive that", on_or_off,
         true},
    Flag{"backup", "WORD", &Options::backup, 0, 0,
         "what a slower PE, or a far one, has had for long is run again by one with nothing to do "
         "(policy trawl)",
         on_or_off, true},
    Flag{"grace", "SECONDS", &Options::grace, 0, 1e6,
         "seconds for a PE that is to leave to finish its threads; then others run them again"},
    Flag{"yield", "CORES", &Options::yield, 0, 1e6,
         "leave when other programs have used so many of the host's cores for three seconds; 0: "
         "never"},
    Flag{"copies", "N", &Options::copies, 0, 1000000,
         "where a PE may die, copy distributed data to another one after N skeletons or more, and "
         "fetch values that took N evaluations, each of what the last gave; 0: never, and the data "
         "are lost with it",
         nullptr, true},
    Flag{"copy-share", "FRACTION", &Options::copy_share, 0, 1,
         "of the time that copies may take, about; 0: there is one after every N skeletons",
         nullptr, true},
    Flag{"fabric", "NAME", &Options::fabric, 0, 0,
         "what carries messages (default: net under trawl-run, mpi under mpiexec)", fabrics},
    Flag{"join", "HOST:PORT", &Options::join, 0, 0,
         "join the run whose main PE is met there (see trawl-run --wait)"},
    Flag{"meet", "PORT", &Options::meet, 0, 0,
         "this is the main PE, and the others meet it at this port"},
    Flag{"pes", "N", &Options::pes, 0, 1024,
         "how many PEs the main PE waits for, itself included (0: the launcher knows)"},
    Flag{"seats", "N", &Options::seats, 0, 1024,
         "how many PEs there may be in all: more may join while the run goes on (0: none)"},
    Flag{
        "key", "KEY", &Options::key, 0, 0,
        "of those who may take part: 64 hexadecimal digits; better in the environment, where other "
        "users do not see it"},
    Flag{"encrypt", "WORD", &Options::encrypt, 0, 0,
         "are messages between hosts encrypted, by fabric net", on_or_off},
    Flag{"start-wait", "SECONDS", &Options::start_wait, 0, 1e9,
         "seconds that PEs of fabric net wait for each other at start (0: for ever)"},
    Flag{"grid", "FILE", &Options::grid, 0, 0,
         "rehearse on this grid: its links' delays, its PEs' speeds (see profiles/grids)", nullptr,
         true},
    Flag{"simulate", "FILE", &Options::simulate, 0, 0,
         "run in this process, in virtual time, as on this grid", nullptr, true},
    Flag{"seed", "N", &Options::seed, 0, 2 * giga,
         "of random decisions: simulated, the same seed gives the same grid (0: any)"},
    Flag{"trace", "DIR", &Options::trace, 0, 0,
         "write an event log into this directory (see trawl-profile)"},
    Flag{"record", "FILE", &Options::record, 0, 0,
         "write the tasks of a run on one worker into this file (see trawl-replay)"},
    Flag{"stats", "FORMAT", &Options::stats, 0, 0, "print statistics at the end, on standard error",
         stats_formats},
    Flag{"stats-file", "FILE", &Options::stats_file, 0, 0,
         "print them into this file instead (text unless --trawl:stats=json)"},
    Flag{"flags", "FILE", &Options::flags, 0, 0,
         "read flags from this file (see trawl-tune): words as here, # begins a comment; the "
         "environment and the command line are above it"},
    Flag{"progress", "", &Options::progress, 0, 0,
         "say every so often on standard error how far the run is"},
    Flag{"help", "", &Options::help, 0, 0, "print this and exit", nullptr, true},
    Flag{"version", "", &Options::version, 0, 0, "print Trawl's version and exit", nullptr, true},
};

std::string spell(std::string_view value_name, double number) {
  const auto whole = static_cast<std::size_t>(number);
  if (value_name == "BYTES") return spell_size(whole);
  return static_cast<double>(whole) == number ? fmt::format("{}", whole)
                                              : fmt::format("{}", number);
}

}  // namespace

std::span<const Flag> flags() {
  return table;
}

const Flag* find_flag(std::string_view name) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == table.end() ? nullptr : found;
}

bool Flag::needs_value() const noexcept {
  return !is_switch() && !std::holds_alternative<StatsFormat Options::*>(target);
}

bool Flag::is_number() const noexcept {
  return most > 0;
}

std::string Flag::usage() const {
  const auto shown_value = is_switch()     ? ""
                           : needs_value() ? fmt::format("={}", value)
                                           : fmt::format("[={}]", value);
  return fmt::format("--trawl:{}{}", name, shown_value);
}

std::string Flag::text() const {
  std::string text(what);
  if (choices == nullptr) return text;
  const auto all = choices();
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? ": " : ", ") + std::string(all[i]);
  return text;
}

std::string Flag::shown(const Options& options) const {
  const auto& flag = *this;
  return std::visit(
      [&](auto member) -> std::string {
        const auto& set = options.*member;
        using T = std::decay_t<decltype(set)>;
        if constexpr (std::is_same_v<T, std::string>)
          return set;
        else if constexpr (std::is_same_v<T, StatsFormat>)
          return set == StatsFormat::none ? "" : set == StatsFormat::json ? "json" : "text";
        else if constexpr (std::is_same_v<T, bool>)
          return set ? "true" : "";
        else
          return spell(flag.value, static_cast<double>(set));
      },
      target);
}

std::string Flag::range() const {
  if (!is_number()) return "";
  return (or_zero ? "0, " : "") + spell(value, least) + " to " + spell(value, most);
}

std::string spell_size(std::size_t bytes) {
  static constexpr std::string_view units = "KMGT";
  std::size_t unit = 0;
  for (; unit < units.size() && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, unit == 0 ? "" : std::string(1, units[unit - 1]));
}

}  // namespace trawl
