#include "profiles/tune/result.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiles/axis.hpp"
#include "profiles/printable.hpp"
#include "profiles/report/names.hpp"

namespace tune {
namespace {

std::string seconds(double value) {
  return trawl::profile::duration(value * 1e9);
}

std::string interval(const Interval& gain) {
  if (!std::isfinite(gain.mean)) return "given up: far slower, or failed";
  return fmt::format("{:>8}  {:>8} to {}", percent(gain.mean), percent(gain.low),
                     percent(gain.high));
}

std::string flags_text(const Space& space, const Advice& advice) {
  auto words = words_of(space, advice.setting);
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space[i].name == pes_a_host && advice.setting[i] != space[i].usual)
      words.push_back("(PEs a host: " + space[i].levels[advice.setting[i]] + ")");
  return fmt::format("{}", fmt::join(words, " "));
}

bool as_usual(const Space& space, const Advice& advice) {
  return advice.setting == usual(space);
}

std::string fragile_text(const Space& space, const Advice& advice) {
  if (!advice.fragile) return "";
  auto other = advice;
  other.setting = advice.fragile->setting;
  return fmt::format(
      "  Not advised: {} saves {} as recorded, but {} if four times the bytes are sent\n"
      "  (data that tasks share are not in a recording). Try it with the program itself.\n",
      flags_text(space, other), percent(advice.fragile->gain.mean),
      percent(advice.fragile->another.mean));
}

/// What gained most by itself, beyond its interval, though there was no time to confirm it.
const Effect* best_unconfirmed(const Advice& advice) {
  if (!advice.cut_short) return nullptr;
  const Effect* best = nullptr;
  for (const auto& each : advice.effects)
    if (each.runs > 0 && std::isfinite(each.gain.mean) && each.gain.low > Plan().worth &&
        (best == nullptr || each.gain.mean > best->gain.mean))
      best = &each;
  return best;
}

bool was_anything_tried(const Advice& advice) {
  return std::ranges::any_of(advice.effects, [](const Effect& each) { return each.runs != 0; });
}

/// Of advice that is the defaults.
std::string_view what_defaults_are(const Advice& advice) {
  return best_unconfirmed(advice) != nullptr || !was_anything_tried(advice)
             ? "the defaults: there was no time for more"
             : "the defaults are as good";
}

std::string usual_text(const Space& space, const Advice& advice) {
  if (const auto* best = best_unconfirmed(advice))
    return fmt::format(
        "  The defaults: {}. By itself {} {} saved {} ({} to {}), but there was no time to\n"
        "  confirm it: --budget says how much there is.\n",
        seconds(advice.usual), space[best->factor].name, space[best->factor].levels[best->level],
        percent(best->gain.mean), percent(best->gain.low), percent(best->gain.high));
  if (!was_anything_tried(advice))
    return fmt::format(
        "  The defaults: {}. Nothing else was tried: --budget is too small for one level.\n",
        seconds(advice.usual));
  return fmt::format("  The defaults are as good: {}, and nothing {} gains 0.5 %{}.\n",
                     seconds(advice.usual), advice.fragile ? "safer" : "else",
                     advice.cut_short ? " of what there was time to try" : "");
}

std::string advice_text(const Space& space, const Advice& advice) {
  if (as_usual(space, advice)) return usual_text(space, advice) + fragile_text(space, advice);
  return fmt::format("  defaults  {}\n  advised   {}, {} ({} to {})\n\n    {}\n",
                     seconds(advice.usual), seconds(advice.taken), percent(advice.gain.mean),
                     percent(advice.gain.low), percent(advice.gain.high),
                     flags_text(space, advice));
}

std::string effects_text(const Space& space, const std::vector<Effect>& effects) {
  std::string text;
  for (const auto& effect : effects) {
    if (effect.runs == 0) continue;
    text +=
        fmt::format("  {:<18} {:<9} {}  ({} runs)\n", space[effect.factor].name,
                    space[effect.factor].levels[effect.level], interval(effect.gain), effect.runs);
  }
  return text;
}

std::string place(const trawl::profile::Line& line) {
  return line.number == 0 ? "" : trawl::profile::printable(to_string(line));
}

std::string why_no_coarser(const Coarser& coarser) {
  const auto tried = [](const Effect& effect) { return effect.runs != 0 && effect.level != 0; };
  if (std::none_of(coarser.effects.begin(), coarser.effects.end(), tried))
    return "  Coarser was not tried: the runs were used up by then (--budget).\n";
  const auto best = std::max_element(
      coarser.effects.begin(), coarser.effects.end(), [&](const auto& a, const auto& b) {
        return (tried(a) ? a.gain.low : -1) < (tried(b) ? b.gain.low : -1);
      });
  if (best->gain.low <= 0) return "  No coarser grain is faster.\n";
  const auto& factor = coarser.space[best->factor];
  return fmt::format(
      "  Coarser may be faster, by {} with {} {}: there were no runs left to confirm "
      "it (--budget).\n",
      percent(best->gain.mean), factor.name, factor.levels[best->level]);
}

std::string grain_text(const OnGrid& on, double work) {
  if (on.lines.empty())
    return "\n  Grain. The program sparks nothing: a skeleton's shards are no sparks.\n";
  const auto& costs = on.costs;
  auto text = fmt::format(
      "\n  Grain. A spark that stays takes {:.1f} ns by spawn, {:.1f} ns by par (this host); one "
      "that is sent and\n  its value back {} near by, {} at the farthest (simulated).\n\n"
      "  {:<28}{:<6}{:<22}{:>9} {:>10} {:>10} {:>10} {:>6} {:>6}\n",
      costs.spawn * 1e9, costs.par * 1e9, seconds(costs.near), seconds(costs.far),
      "function that is sparked", "by", "at", "sparks", "shortest", "median", "longest", "near",
      "far");
  for (const auto& grain : on.lines)
    text += fmt::format("  {:<28}{:<6}{:<22}{:>9} {:>10} {:>10} {:>10} {:>4.0f} % {:>4.0f} %  {}\n",
                        trawl::profile::short_name(grain.function).substr(0, 27),
                        grain.thunks ? "par" : "spawn", place(grain.line), grain.sparks,
                        seconds(grain.shortest), seconds(grain.median), seconds(grain.longest),
                        100 * grain.near_pays, 100 * grain.far_pays, verdict(grain, work));
  text += "\n  near, far: sparks that are longer than they and their values are under way.\n\n";
  const auto& coarser = on.coarser;
  if (!coarser.better()) return text + why_no_coarser(coarser);
  std::vector<std::string> what;
  if (coarser.cut_off != "0us") what.push_back("no sparks for less than " + coarser.cut_off);
  if (coarser.chunk != "1") what.push_back("lists in chunks " + coarser.chunk + " times as large");
  return text + fmt::format("  Coarser is faster: {}; {} more ({} to {}).\n", fmt::join(what, ", "),
                            percent(coarser.gain.mean), percent(coarser.gain.low),
                            percent(coarser.gain.high));
}

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json interval_json(const Interval& gain) {
  return {{"mean", number(gain.mean)}, {"low", number(gain.low)}, {"high", number(gain.high)}};
}

nlohmann::json effects_json(const Space& space, const std::vector<Effect>& effects) {
  auto list = nlohmann::json::array();
  for (const auto& effect : effects)
    list.push_back({{"flag", space[effect.factor].name},
                    {"level", space[effect.factor].levels[effect.level]},
                    {"gain", interval_json(effect.gain)},
                    {"runs", effect.runs}});
  return list;
}

nlohmann::json advice_json(const Space& space, const Advice& advice) {
  nlohmann::json json{{"flags", words_of(space, advice.setting)},
                      {"defaults_are_as_good", as_usual(space, advice)},
                      {"default_s", advice.usual},
                      {"advised_s", advice.taken},
                      {"gain", interval_json(advice.gain)},
                      {"runs", advice.runs},
                      {"cut_short", advice.cut_short},
                      {"effects", effects_json(space, advice.effects)}};
  if (advice.fragile)
    json["not_advised"] = {{"flags", words_of(space, advice.fragile->setting)},
                           {"gain", interval_json(advice.fragile->gain)},
                           {"gain_with_more_bytes", interval_json(advice.fragile->another)}};
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space[i].name == pes_a_host) json["pes_a_host"] = space[i].levels[advice.setting[i]];
  return json;
}

nlohmann::json grain_json(const OnGrid& on, double work) {
  auto functions = nlohmann::json::array();
  for (const auto& grain : on.lines)
    functions.push_back({{"function", grain.function},
                         {"by", grain.thunks ? "par" : "spawn"},
                         {"file", grain.line.file},
                         {"line", grain.line.number},
                         {"sparks", grain.sparks},
                         {"work_s", grain.work},
                         {"shortest_s", grain.shortest},
                         {"median_s", grain.median},
                         {"longest_s", grain.longest},
                         {"bytes", grain.bytes},
                         {"near_pays", grain.near_pays},
                         {"far_pays", grain.far_pays},
                         {"cost_share", grain.cost},
                         {"verdict", verdict(grain, work)}});
  const auto& costs = on.costs;
  return {{"spawn_s", costs.spawn},
          {"par_s", costs.par},
          {"near_s", costs.near},
          {"far_s", costs.far},
          {"functions", functions},
          {"cut_off", on.coarser.cut_off},
          {"chunk", on.coarser.chunk},
          {"gain", interval_json(on.coarser.gain)},
          {"effects", effects_json(on.coarser.space, on.coarser.effects)}};
}

}  // namespace

std::string percent(double share) {
  if (!std::isfinite(share)) return share < 0 ? "-inf %" : "inf %";
  const double rounded = std::round(share * 1000) / 10;
  return rounded == 0 ? "0 %" : fmt::format("{:+.1f} %", rounded);
}

std::string short_grid(const std::string& grid) {
  return std::filesystem::path(grid).stem().string();
}

std::string text(const Result& result) {
  auto text = fmt::format("{}: {}, {} of work, critical path {}\n", result.recording,
                          result.program, seconds(result.work), seconds(result.critical_path));
  for (const auto& on : result.grids) {
    text += fmt::format("\n{}: {} PEs, {} workers\n\n", on.grid, on.pes, on.workers);
    text += advice_text(on.space, on.advice);
    text +=
        "\n  Each by itself, all else as by default: time saved, and within what it is by 95 %\n\n";
    text += effects_text(on.space, on.advice.effects);
    if (!on.trouble.empty()) text += fmt::format("\n  A run failed, by {}\n", on.trouble);
    text += grain_text(on, result.work);
  }
  if (!result.for_all) return text;
  const auto& all = *result.for_all;
  text += "\nfor all grids (mean of the logarithms of times)\n\n";
  if (as_usual(all.space, all.advice))
    return text.append("  ").append(what_defaults_are(all.advice)) + "\n";
  text += fmt::format("    {}\n\n", flags_text(all.space, all.advice));
  for (std::size_t i = 0; i < result.grids.size(); ++i)
    text += fmt::format("  {:<30} {}   by its own advice {}\n", short_grid(result.grids[i].grid),
                        interval(all.gains[i]), percent(result.grids[i].advice.gain.mean));
  return text;
}

nlohmann::json json(const Result& result) {
  nlohmann::json json{{"recording", result.recording}, {"program", result.program},
                      {"work_s", result.work},         {"critical_path_s", result.critical_path},
                      {"replays", result.replays},     {"grids", nlohmann::json::array()}};
  for (const auto& on : result.grids) {
    auto each = advice_json(on.space, on.advice);
    each["grid"] = on.grid;
    each["pes"] = on.pes;
    each["workers"] = on.workers;
    if (!on.trouble.empty()) each["trouble"] = on.trouble;
    each["grain"] = grain_json(on, result.work);
    json["grids"].push_back(each);
  }
  if (result.for_all) {
    const auto& all = *result.for_all;
    json["for_all"] = advice_json(all.space, all.advice);
    for (const auto& gain : all.gains) json["for_all"]["gains"].push_back(interval_json(gain));
  }
  return json;
}

std::string flag_file(const Result& result) {
  const auto& space = result.for_all ? result.for_all->space : result.grids.front().space;
  const auto& advice = result.for_all ? result.for_all->advice : result.grids.front().advice;
  auto text = fmt::format("# by trawl-tune, of {} on", result.program);
  for (const auto& on : result.grids) text.append(" ").append(short_grid(on.grid));
  if (as_usual(space, advice)) return text.append("\n# ").append(what_defaults_are(advice)) + "\n";
  text += fmt::format("\n# {} of the time saved ({} to {}), simulated\n", percent(advice.gain.mean),
                      percent(advice.gain.low), percent(advice.gain.high));
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space[i].name == pes_a_host && advice.setting[i] != space[i].usual)
      text += fmt::format("# PEs a host: {} (start so many there)\n",
                          space[i].levels[advice.setting[i]]);
  for (const auto& word : words_of(space, advice.setting)) text += word + "\n";
  return text;
}

}  // namespace tune
