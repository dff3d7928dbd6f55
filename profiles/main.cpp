// trawl-profile: draws the activity profile of a run from its event logs.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "profiles/activity.hpp"
#include "profiles/axis.hpp"
#include "profiles/beside.hpp"
#include "profiles/draw.hpp"
#include "profiles/draw_work.hpp"
#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/perfetto.hpp"
#include "profiles/read.hpp"
#include "profiles/report/page.hpp"
#include "profiles/report/report.hpp"
#include "profiles/summary.hpp"
#include "profiles/work_summary.hpp"
#include "profiles/written.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/codes.hpp"

namespace {

using namespace trawl;

struct Options {
  std::string dir;
  std::string other;  // run
  std::string prefix;
  std::string svg, png;
  std::string work_svg, work_png;
  std::string html;
  std::string perfetto;
  int width = 1200;
  std::optional<double> from, to;  // seconds
  bool summary_only = false;
  bool json = false;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("DIR", options.dir, "the directory of the event logs (pe-NNNN.trawl)")->required();
  app.add_option("-o", options.prefix,
                 "draw PREFIX.svg and PREFIX.png, and how work travelled: PREFIX-work.svg and "
                 "PREFIX-work.png; without it PREFIX is DIR/activity")
      ->type_name("PREFIX");
  app.add_option("--svg", options.svg, "draw this SVG, and no PNG unless that is named too")
      ->type_name("FILE");
  app.add_option("--png", options.png, "draw this PNG, and no SVG unless that is named too")
      ->type_name("FILE");
  app.add_option("--html", options.html,
                 "also write the report as one page: timeline, FISH, functions, critical path, and "
                 "what limited the run in words; it needs no network")
      ->type_name("FILE");
  app.add_option("--perfetto", options.perfetto,
                 "also write what ui.perfetto.dev opens: threads, collections, messages as arrows")
      ->type_name("FILE");
  app.add_option("--width", options.width, "pixels of the time axis")
      ->check(CLI::Range(profile::min_width, profile::max_width))
      ->capture_default_str();
  app.add_option("--from", options.from, "leave out what came before T seconds")->type_name("T");
  app.add_option("--to", options.to, "leave out what came after T seconds")->type_name("T");
  app.add_flag("--summary-only", options.summary_only, "draw nothing");
  app.add_flag("--json", options.json, "print the summary as JSON");
  auto* beside =
      app.add_option("--beside", options.other,
                     "compare with this run instead: what changed from DIR's to it, in sum and by "
                     "function; nothing is drawn")
          ->type_name("DIR");
  for (const char* drawn : {"-o", "--svg", "--png", "--html", "--perfetto"})
    beside->excludes(app.get_option(drawn));
  app.set_version_flag(
      "--version", "trawl-profile " TRAWL_VERSION ", log format " + std::to_string(trace::version));
  app.footer(
      "Exit code: 0; 1 if a log is damaged, cut short or missing, or functions' names are (what "
      "is\n"
      "there is drawn, what is wrong is on stderr); 2 for bad usage, no logs, or output that "
      "can't\n"
      "be written.");
}

void check_window(const Options& options) {
  for (const auto& time : {options.from, options.to})
    if (time && !(std::isfinite(*time) && *time >= 0))
      throw Error("--from and --to take seconds since the run's start, 0 or more", 2);
  if (options.to && options.from.value_or(0) >= *options.to)
    throw Error("--to must be after --from, or 0 where that is not given", 2);
}

profile::Activity measure(const profile::Run& run, const Options& options) {
  const auto end = static_cast<double>(run.end);
  const auto nanos = [&](double seconds) {
    return seconds * 1e9 < end ? static_cast<Nanos>(seconds * 1e9) : run.end;
  };
  const auto from = nanos(options.from.value_or(0));
  const auto to = options.to ? nanos(*options.to) : run.end;
  if (options.from && from >= run.end)
    throw Error("--from is after the end of the run, which took " + profile::duration(end), 2);
  if (from >= to && to < run.end)
    throw Error("--from and --to are less than a nanosecond apart", 2);
  return profile::measure(run, from, to, static_cast<std::size_t>(options.width));
}

/// Which pictures are asked for.
void choose_pictures(Options& options) {
  if (options.summary_only) {
    options.svg.clear();
    options.png.clear();
    return;
  }
  const bool named = !options.svg.empty() || !options.png.empty();
  if (named && options.prefix.empty()) return;
  if (options.prefix.empty())
    options.prefix = (std::filesystem::path(options.dir) / "activity").string();
  if (options.svg.empty()) options.svg = options.prefix + ".svg";
  if (options.png.empty()) options.png = options.prefix + ".png";
  options.work_svg = options.prefix + "-work.svg";
  options.work_png = options.prefix + "-work.png";
}

profile::WorkPicture work_picture(const profile::Run& run, const profile::Fishing& fishing,
                                  const profile::Granularity& granularity) {
  const auto& header = run.logs.front().header;
  return {"How work travelled: " + header.program.substr(0, 40) + " on " +
              std::to_string(header.pes) + (header.pes == 1 ? " PE" : " PEs"),
          profile::matrix(fishing, run, profile::most_drawn_groups), fishing.beliefs, granularity};
}

profile::Run opened(const std::string& dir) {
  auto run = profile::open_run(dir);
  for (const auto& damage : run.damage)
    std::fprintf(stderr, "trawl-profile: %s\n", to_string(damage).c_str());
  return run;
}

/// A run, read and counted.
struct Counted {
  Counted(const std::string& dir, const Options& options)
      : run(opened(dir)), activity(measure(run, options)) {}

  nlohmann::json summary() const {
    auto json = profile::to_json(activity);
    json["work"] = profile::work_json(fishing, granularity);
    json["balance"] = profile::decisions_json(activity.decisions);
    json["report"] = profile::report_json(report);
    return json;
  }

  profile::Run run;
  profile::Activity activity;
  profile::Fishing fishing = profile::measure_fishing(run, activity.from, activity.to);
  profile::Granularity granularity = profile::measure_granularity(run, activity.from, activity.to);
  profile::Report report =
      profile::measure_report(run, activity.from, activity.to, fishing, granularity);
};

// A file name or a damaged log may hold bytes that are not UTF-8.
void print(const nlohmann::json& json) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::printf("%s\n", json.dump(2, ' ', false, replace).c_str());
}

std::string called(const Counted& counted, const std::string& dir) {
  const auto& header = counted.run.logs.front().header;
  auto text = dir + ", " + header.program + " on " + std::to_string(header.pes) +
              (header.pes == 1 ? " PE" : " PEs");
  const auto& seen = counted.activity;
  if (seen.from > 0 || seen.to < counted.run.end)
    text += ", from " + profile::duration(static_cast<double>(seen.from)) + " to " +
            profile::duration(static_cast<double>(seen.to));
  return text;
}

int compare(const Options& options) {
  const Counted first(options.dir, options);
  const Counted second(options.other, options);
  auto both = profile::beside(first.summary(), second.summary());
  both["runs"] = {called(first, options.dir), called(second, options.other)};
  if (options.json)
    print(both);
  else
    std::fputs(
        profile::beside_table(both, called(first, options.dir), called(second, options.other))
            .c_str(),
        stdout);
  return first.run.damage.empty() && second.run.damage.empty() ? 0 : 1;
}

void check_outputs(const Options& options, const profile::Run& run) {
  std::set<std::filesystem::path> outputs;
  for (const auto* file : {&options.svg, &options.png, &options.work_svg, &options.work_png,
                           &options.html, &options.perfetto}) {
    for (const auto& log : run.logs) expect_not_read(*file, log.path);
    expect_not_read(*file, (std::filesystem::path(options.dir) / trace::codes_file).string());
    if (!file->empty() && !outputs.insert(std::filesystem::weakly_canonical(*file)).second)
      throw Error(*file + " was named for two outputs: name two files", 2);
  }
}

int run_profile(Options options) {
  check_window(options);
  if (!options.other.empty()) return compare(options);
  const Counted counted(options.dir, options);
  const auto& [run, activity, fishing, granularity, report] = counted;

  choose_pictures(options);
  check_outputs(options, run);
  std::vector<std::string> pictures;
  if (!options.svg.empty()) {
    profile::draw_svg(activity, options.svg);
    pictures.push_back(options.svg);
  }
  if (!options.png.empty()) {
    profile::draw_png(activity, options.png);
    pictures.push_back(options.png);
  }

  const auto work = work_picture(run, fishing, granularity);
  if (!options.work_svg.empty()) {
    profile::draw_work_svg(work, options.work_svg);
    pictures.push_back(options.work_svg);
  }
  if (!options.work_png.empty()) {
    profile::draw_work_png(work, options.work_png);
    pictures.push_back(options.work_png);
  }
  if (!options.perfetto.empty())
    profile::write_perfetto(run, activity.from, activity.to, options.perfetto);

  if (!options.html.empty()) profile::write_page(run, report, fishing, granularity, options.html);

  if (options.json) {
    auto json = counted.summary();
    json["pictures"] = pictures;
    if (!options.html.empty()) json["html"] = options.html;
    if (!options.perfetto.empty()) json["perfetto"] = options.perfetto;
    json["damage"] = nlohmann::json::array();
    for (const auto& damage : run.damage) json["damage"].push_back(to_string(damage));
    print(json);
  } else {
    std::fputs(profile::table(activity).c_str(), stdout);
    const auto fishes = profile::matrix(fishing, run, profile::most_listed_groups);
    std::fputs(profile::work_table(fishes, fishing.beliefs, granularity).c_str(), stdout);
    std::fputs(profile::decisions_table(activity.decisions).c_str(), stdout);
    std::fputs(profile::report_table(report).c_str(), stdout);
    for (const auto& picture : pictures) std::printf("drawn: %s\n", picture.c_str());
    if (!options.html.empty()) std::printf("written: %s, for any browser\n", options.html.c_str());
    if (!options.perfetto.empty())
      std::printf("written: %s, for ui.perfetto.dev\n", options.perfetto.c_str());
  }
  return run.damage.empty() ? 0 : 1;
}

int answer(CLI::App& app, Options& options, int argc, char** argv) {
  int code = 0;
  try {
    app.parse(argc, argv);
    code = run_profile(options);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    throw Error(wrong.what() + std::string(" (see trawl-profile --help)"), 2);
  }
  expect_written();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Draws the per-PE activity profile of a Trawl run and prints its summary.",
               "trawl-profile");
  declare(app, options);
  try {
    return answer(app, options, argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "trawl-profile: %s\n", error.what());
    return error.exit_code();
  }
}
