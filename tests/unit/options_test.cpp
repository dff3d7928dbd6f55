// The runtime's flags: --trawl:NAME on the command line, TRAWL_NAME in the environment below it.
#include "rts/options/options.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "rts/inline/error.hpp"
#include "rts/options/flags.hpp"

namespace trawl {
namespace {

using Args = std::vector<std::string>;

Options parse(Args args) {
  args.insert(args.begin(), "program");
  return take_options(args);
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

/// A flag, a value other than its default, and where the value should have gone.
struct Flag {
  std::string name;
  std::string value;
  std::string shown_default;
  bool (*taken)(const Options&);
};

const Flag flags[] = {
    {"workers", "3", "0", [](const Options& o) { return o.workers == 3; }},
    {"thread-limit", "7", "1024", [](const Options& o) { return o.thread_limit == 7; }},
    {"low-watermark", "5", "0", [](const Options& o) { return o.low_watermark == 5; }},
    {"spark-pool", "99", "262144", [](const Options& o) { return o.spark_pool == 99; }},
    {"stack-size", "1M", "8M", [](const Options& o) { return o.stack_size == 1U << 20U; }},
    {"heap-max", "2G", "0", [](const Options& o) { return o.heap_max == std::size_t{2} << 30U; }},
    {"heap", "128M", "8M", [](const Options& o) { return o.heap == 128U << 20U; }},
    {"max-fish", "4", "0", [](const Options& o) { return o.max_fish == 4; }},
    {"fish-delay", "2.5", "20", [](const Options& o) { return o.fish_delay == 2.5; }},
    {"fish-delay-max", "700", "5000", [](const Options& o) { return o.fish_delay_max == 700; }},
    {"policy", "random", "trawl", [](const Options& o) { return o.policy == "random"; }},
    {"packet-size", "512", "64K", [](const Options& o) { return o.packet_size == 512; }},
    {"thunks-per-packet", "0", "1024", [](const Options& o) { return o.thunks_per_packet == 0; }},
    {"cluster", "west", "", [](const Options& o) { return o.cluster == "west"; }},
    {"speed", "1.5", "0", [](const Options& o) { return o.speed == 1.5; }},
    {"silence", "60", "10", [](const Options& o) { return o.silence == 60; }},
    {"trace", "some/dir", "", [](const Options& o) { return o.trace == "some/dir"; }},
    {"stats", "json", "text", [](const Options& o) { return o.stats == StatsFormat::json; }},
    {"stats-file", "some/file", "", [](const Options& o) { return o.stats_file == "some/file"; }},
};

std::string environment_name(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return "TRAWL_" + name;
}

TEST(Options, EveryFlagIsTakenAndIsNotTheDefault) {
  for (const auto& flag : flags) {
    SCOPED_TRACE(flag.name);
    EXPECT_FALSE(flag.taken(parse({})));
    EXPECT_TRUE(flag.taken(parse({"--trawl:" + flag.name + "=" + flag.value})));
  }
}

TEST(Options, EveryFlagMayComeFromTheEnvironment) {
  for (const auto& flag : flags) {
    SCOPED_TRACE(flag.name);
    const auto name = environment_name(flag.name);
    const Environment set(name.c_str(), flag.value.c_str());
    EXPECT_TRUE(flag.taken(parse({})));
  }
}

TEST(Options, TheCommandLineIsAboveTheEnvironment) {
  const Environment set("TRAWL_WORKERS", "3");
  EXPECT_EQ(parse({"--trawl:workers=5"}).workers, 5);
  EXPECT_EQ(parse({}).workers, 3);
}

TEST(Options, TheLastOneWins) {
  EXPECT_EQ(parse({"--trawl:workers=5", "--trawl:workers=6"}).workers, 6);
  EXPECT_EQ(parse({"--trawl:stats=json", "--trawl:stats"}).stats, StatsFormat::text);
  EXPECT_EQ(parse({"--trawl:stats", "--trawl:stats=json"}).stats, StatsFormat::json);
}

TEST(Options, TheProgramKeepsItsOwnArguments) {
  Args args{"program",     "10000", "--trawl:workers=2", "--chunk", "7",
            "--workers=9", "--",    "--trawl:workers=3"};
  EXPECT_EQ(take_options(args).workers, 2);
  EXPECT_EQ(args,
            (Args{"program", "10000", "--chunk", "7", "--workers=9", "--", "--trawl:workers=3"}));
}

TEST(Options, StatsNeedNoFormat) {
  EXPECT_EQ(parse({}).stats, StatsFormat::none);
  EXPECT_EQ(parse({"--trawl:stats"}).stats, StatsFormat::text);
  EXPECT_EQ(parse({"--trawl:stats=text"}).stats, StatsFormat::text);
}

TEST(Options, AStatisticsFileIsFilled) {
  EXPECT_EQ(parse({"--trawl:stats-file=f"}).stats, StatsFormat::text);
  EXPECT_EQ(parse({"--trawl:stats-file=f", "--trawl:stats=json"}).stats, StatsFormat::json);
}

TEST(Options, HelpAndVersion) {
  EXPECT_FALSE(parse({}).help);
  EXPECT_TRUE(parse({"--trawl:help"}).help);
  EXPECT_TRUE(parse({"--trawl:version"}).version);
}

TEST(Options, TheLongestDelayIsNotUnderTheShortest) {
  EXPECT_EQ(parse({"--trawl:fish-delay=9000"}).fish_delay_max, 9000);
  EXPECT_EQ(parse({"--trawl:fish-delay=9", "--trawl:fish-delay-max=9"}).fish_delay_max, 9);
}

void expect_refused(const Args& args, const std::string& named) {
  SCOPED_TRACE(args.front());
  try {
    parse(args);
    ADD_FAILURE() << "it was accepted";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_EQ(e.exit_code(), 2);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find(named), std::string::npos) << text;
  }
}

TEST(Options, WhatMakesNoSenseIsRefusedInOneLine) {
  expect_refused({"--trawl:wokers=3"}, "--trawl:wokers");
  expect_refused({"--trawl:"}, "--trawl:help");
  expect_refused({"--trawl:workers=many"}, "--trawl:workers");
  expect_refused({"--trawl:workers=-1"}, "--trawl:workers");
  expect_refused({"--trawl:workers=2x"}, "--trawl:workers");
  expect_refused({"--trawl:workers=99999999999999999999"}, "--trawl:workers");
  expect_refused({"--trawl:thread-limit=0"}, "--trawl:thread-limit");
  expect_refused({"--trawl:max-fish=-1"}, "--trawl:max-fish");
  expect_refused({"--trawl:spark-pool=0"}, "--trawl:spark-pool");
  expect_refused({"--trawl:stack-size=1K"}, "--trawl:stack-size");
  expect_refused({"--trawl:stack-size=8Q"}, "--trawl:stack-size: 8Q is no size");
  expect_refused({"--trawl:fish-delay=0"}, "--trawl:fish-delay");
  expect_refused({"--trawl:fish-delay=nan"}, "--trawl:fish-delay");
  expect_refused({"--trawl:speed=-2"}, "--trawl:speed");
  expect_refused({"--trawl:speed=inf"}, "--trawl:speed");
  expect_refused({"--trawl:policy=best"}, "targeted");
  expect_refused({"--trawl:stats=xml"}, "--trawl:stats");
  expect_refused({"--trawl:workers"}, "--trawl:workers=N");
  expect_refused({"--trawl:workers="}, "--trawl:workers=N");
  expect_refused({"--trawl:trace"}, "--trawl:trace=DIR");
  expect_refused({"--trawl:trace="}, "--trawl:trace=DIR");
  expect_refused({"--trawl:workers=many"}, "many is no number");
  expect_refused({"--trawl:workers=193"}, "192");
  expect_refused({"--trawl:fish-delay=9", "--trawl:fish-delay-max=8"}, "--trawl:fish-delay-max");
}

/// A file of flags.
class FlagFile {
 public:
  explicit FlagFile(const std::string& text) { std::ofstream(name_) << text; }
  ~FlagFile() { std::filesystem::remove(name_); }
  FlagFile(const FlagFile&) = delete;
  FlagFile& operator=(const FlagFile&) = delete;

  std::string flag() const { return "--trawl:flags=" + name_; }
  std::string at(int line) const { return name_ + ":" + std::to_string(line) + ": "; }
  const std::string& name() const { return name_; }

 private:
  std::string name_ =
      (std::filesystem::path(testing::TempDir()) / ("trawl_flags_" + std::to_string(getpid())))
          .string();
};

TEST(Options, FlagsMayComeFromAFile) {
  const FlagFile file(
      "# advised\n--trawl:workers=3 --trawl:policy=random # two\n\n  --trawl:stats\n"
      "#--trawl:workers=4\n--trawl:cluster=a#b");
  const auto options = parse({file.flag()});
  EXPECT_EQ(options.workers, 3);
  EXPECT_EQ(options.policy, "random");
  EXPECT_EQ(options.stats, StatsFormat::text);
  EXPECT_EQ(options.cluster, "a#b");
  const Environment named("TRAWL_FLAGS", file.name().c_str());
  EXPECT_EQ(parse({}).workers, 3);
  EXPECT_EQ(options_to_join({"--trawl:wrong"}).pes, 0);
}

TEST(Options, TheCommandLineAndTheEnvironmentAreAboveAFile) {
  const FlagFile file("--trawl:workers=3 --trawl:thread-limit=8 --trawl:low-watermark=1");
  const Environment set("TRAWL_THREAD_LIMIT", "9");
  const auto options = parse({"--trawl:workers=5", file.flag()});
  EXPECT_EQ(options.workers, 5);
  EXPECT_EQ(options.thread_limit, 9U);
  EXPECT_EQ(options.low_watermark, 1U);
  const FlagFile empty("");
  EXPECT_EQ(parse({empty.flag()}).workers, 0);
}

TEST(Options, AFileThatMakesNoSenseIsRefusedWithItsLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"\n--trawl:wokers=3", "--trawl:wokers is no flag: did you mean --trawl:workers?"},
      {"#\n--trawl:workers=many", "--trawl:workers: many is no number"},
      {"\n--trawl:workers", "--trawl:workers needs a value"},
      {"--trawl:stats\nworkers=3", "workers=3 is no flag of the runtime"},
      {"\n--trawl:flags=other", "names no other"},
      {"\n--trawl:flags", "names no other"},
      {"\n\x01\xff", "?? is no flag of the runtime"}};
  for (const auto& [text, said] : wrong) {
    const FlagFile file(text);
    expect_refused({file.flag()}, file.at(2));
    expect_refused({file.flag()}, said);
  }
  expect_refused({"--trawl:flags=/no/such/file"}, "/no/such/file: No such file");
  expect_refused({"--trawl:flags=/"}, "cannot read the flags in /");
  expect_refused({"--trawl:flags="}, "--trawl:flags=FILE");
  expect_refused({"--trawl:flags=/dev/zero"}, "it has more than a megabyte");
}

TEST(Options, WhatLooksLikeAFlagIsRefusedWithTheNearest) {
  for (const char* slip :
       {"-trawl:stats", "--trawl-stats", "--trawl_stats", "--trawl=stats", "--Trawl:stats",
        "--TRAWL:STATS", "--trawl:stast", "--trawl:Stats", "--trawl:stat=json", "---trawl:stats",
        "--trwal:stats", "--trawl.stats", "-trawl-stats=json", "--tral:stats"})
    expect_refused({slip, "7"}, " is no flag: did you mean --trawl:stats?");
  expect_refused({"--trawl", "stats"}, "did you mean --trawl:stats?");
  expect_refused({"-trawl", "workers=3"}, "-trawl is no flag: did you mean --trawl:workers?");
  expect_refused({"--trawl"}, "--trawl:help");
  expect_refused({"--trawl:wokers=3"}, "did you mean --trawl:workers?");
  expect_refused({"--trawl:packet_size=3"}, "did you mean --trawl:packet-size?");
  expect_refused({"--trawl:hlep"}, "did you mean --trawl:help?");
  expect_refused({"--trawl:bogus"}, "--trawl:bogus is no flag (");
}

TEST(Options, WhatOnlyResemblesAFlagIsTheProgramsOwn) {
  const Args own{"--trawl:program",
                 "--trawler=3",
                 "--trawls",
                 "--trail",
                 "--crawl-depth=3",
                 "-t",
                 "trawl:stats",
                 "-",
                 "--stats",
                 "--brawl",
                 "--trail:3",
                 "--http://trawl",
                 "--",
                 "-trawl:stats"};
  Args args = own;
  EXPECT_EQ(take_options(args).stats, StatsFormat::none);
  EXPECT_EQ(args, own);
}

TEST(Options, WhatOnlyResemblesAFlagInTheEnvironmentIsRefusedWithTheNearest) {
  const std::pair<const char*, const char*> slips[] = {
      {"TRAWL_WOKERS", "TRAWL_WOKERS is no flag: did you mean TRAWL_WORKERS?"},
      {"TRAWL_PACKETSIZE", "did you mean TRAWL_PACKET_SIZE?"},
      {"TRAWL_workers", "did you mean TRAWL_WORKERS?"},
      {"TRAWL_PACKET-SIZE", "did you mean TRAWL_PACKET_SIZE?"},
      {"TRAWL_BOGUS", "TRAWL_BOGUS is no flag ("},
      {"TRAWL_HELP", "--trawl:help"},
      {"TRAWL_", "TRAWL_ is no flag"}};
  for (const auto& [name, said] : slips) {
    const Environment set(name, "3");
    expect_refused({"--trawl:stats"}, said);
  }
  const Environment tests_own("TRAWL_TEST_SOMETHING", "3");
  const Environment empty("TRAWL_WOKERS", "");
  const Environment longer("TRAWLER", "3");
  EXPECT_EQ(parse({}).workers, 0);
}

TEST(Options, WhatMakesNoSenseInTheEnvironmentIsRefused) {
  const Environment set("TRAWL_WORKERS", "many");
  expect_refused({"--trawl:stats"}, "many");
  expect_refused({"--trawl:stats"}, "TRAWL_WORKERS");
}

TEST(Options, WhatIsEmptyInTheEnvironmentIsNotSet) {
  const Environment set("TRAWL_WORKERS", "");
  EXPECT_EQ(parse({}).workers, 0);
}

TEST(Options, OnlyWhatIsAboutOnePeMayDiffer) {
  const auto digest = [](Args args) {
    args.insert(args.begin(), "program");
    const auto options = take_options(args);
    return flags_digest(options, args);
  };
  const auto plain = digest({"8", "9"});
  EXPECT_NE(plain, 0U);
  for (const char* flag : {"--trawl:workers=2", "--trawl:speed=3", "--trawl:heap=2G",
                           "--trawl:cluster=c", "--trawl:trace=d", "--trawl:stats"})
    EXPECT_EQ(digest({"8", flag, "9"}), plain) << flag;
  for (const char* flag :
       {"--trawl:policy=random", "--trawl:silence=3", "--trawl:help", "--trawl:version", "10"})
    EXPECT_NE(digest({"8", flag, "9"}), plain) << flag;
  EXPECT_NE(digest({"89"}), plain);
  EXPECT_NE(digest({"9", "8"}), plain);
}

TEST(Options, DefaultsAndBothEndsOfARangeAreAccepted) {
  for (const auto& flag : trawl::flags()) {
    SCOPED_TRACE(flag.name);
    const auto given = [&](const std::string& value) {
      return flag.shown(parse({"--trawl:" + std::string(flag.name) + "=" + value}));
    };
    const auto shown = flag.shown(Options{});
    if (flag.needs_value() && !shown.empty()) {
      EXPECT_EQ(given(shown), shown);
    }
    if (!flag.is_number()) continue;
    auto range = flag.range();
    if (flag.or_zero) {
      EXPECT_EQ(given("0"), "0");
      EXPECT_THROW(given("1"), Error);
      range.erase(0, std::string("0, ").size());
    }
    const auto to = range.find(" to ");
    ASSERT_NE(to, std::string::npos);
    const auto least = range.substr(0, to);
    EXPECT_EQ(given(range.substr(to + 4)), range.substr(to + 4));
    if (flag.name != "fish-delay-max") {  // not under fish-delay
      EXPECT_EQ(given(least), least);
    }
    EXPECT_THROW(given("-0.001"), Error);
    EXPECT_THROW(given("1e99"), Error);
  }
}

TEST(Options, SizesAreSpelledWithTheLargestUnitThatFits) {
  EXPECT_EQ(spell_size(0), "0");
  EXPECT_EQ(spell_size(1023), "1023");
  EXPECT_EQ(spell_size(1024), "1K");
  EXPECT_EQ(spell_size(1025), "1025");
  EXPECT_EQ(spell_size(std::size_t{8} << 20U), "8M");
  EXPECT_EQ(spell_size(std::size_t{1} << 40U), "1T");
  EXPECT_EQ(spell_size(std::size_t{2048} << 40U), "2048T");
}

TEST(Options, HelpListsEveryFlagWithItsDefault) {
  const auto help = options_help();
  for (const auto& flag : flags) {
    SCOPED_TRACE(flag.name);
    const auto at = help.find("\n  --trawl:" + flag.name + (flag.name == "stats" ? "[=" : "="));
    ASSERT_NE(at, std::string::npos) << help;
    const auto entry = help.substr(at, help.find("\n  --trawl:", at + 1) - at);
    EXPECT_NE(entry.find(flag.shown_default), std::string::npos) << entry;
  }
  EXPECT_NE(help.find("--trawl:help"), std::string::npos);
  EXPECT_NE(help.find("--trawl:version"), std::string::npos);
  EXPECT_NE(help.find("TRAWL_NAME"), std::string::npos);
  EXPECT_EQ(help.find(" --workers"), std::string::npos);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Options, ASwitchIsOnOrOff) {
  EXPECT_TRUE(parse({"--trawl:progress"}).progress);
  EXPECT_TRUE(parse({"--trawl:progress=on"}).progress);
  EXPECT_FALSE(parse({"--trawl:progress", "--trawl:progress=off"}).progress);
  expect_refused({"--trawl:progress=30"}, "--trawl:progress is on or off, not 30");
}

}  // namespace
}  // namespace trawl
