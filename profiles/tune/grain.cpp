#include "profiles/tune/grain.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace tune {
namespace {

using replay::Graph;
using replay::Number;
using replay::Op;
using replay::Step;
using trawl::profile::Line;

constexpr double dear = 0.02;  // a share of work that sparks should not take
constexpr double some = 0.01;  // fewer may be measured wrong
constexpr double few = 0.5;    // of a function's sparks are worth being sent

template <class Visit>
void each_op(const Graph& graph, Number number, Visit visit) {
  const auto& task = graph.tasks[number];
  for (auto at = task.first; at < task.first + task.ops; ++at) visit(graph.ops[at]);
}

struct Works {
  std::vector<double> own, whole;  // seconds, by task; what a task needs comes before it
};

Works works(const Graph& graph) {
  Works works;
  for (Number number = 0; number < graph.tasks.size(); ++number) {
    double own = 0, under = 0;
    each_op(graph, number, [&](Op op) {
      if (op.step() == Step::work) own += static_cast<double>(op.time()) * 1e-9;
      if (op.step() == Step::sync || op.step() == Step::force) under += works.whole[op.task()];
      if (op.step() == Step::eval) own += works.own[op.task()];
      if (op.step() == Step::eval) under += works.whole[op.task()] - works.own[op.task()];
    });
    works.own.push_back(own);
    works.whole.push_back(own + under);
  }
  return works;
}

/// What sparks tasks; `thunks`: by par.
struct Source {
  Number function;
  Line line;
  bool thunks;

  friend auto operator<=>(const Source&, const Source&) = default;
};

/// The tasks that are sparks.
std::map<Source, std::vector<Number>> sparks(const Graph& graph, const std::vector<Line>& lines) {
  std::map<Source, std::vector<Number>> found;
  for (Number number = 0; number < graph.tasks.size(); ++number)
    each_op(graph, number, [&](Op op) {
      if (op.step() != Step::spawn && op.step() != Step::par) return;
      const auto& task = graph.tasks[op.task()];
      const auto line = task.site < lines.size() ? lines[task.site] : Line();
      found[{task.function, line, op.step() == Step::par}].push_back(op.task());
    });
  return found;
}

double share(const std::vector<double>& wholes, double cost) {
  const auto number =
      std::count_if(wholes.begin(), wholes.end(), [cost](double whole) { return whole > cost; });
  return static_cast<double>(number) / static_cast<double>(wholes.size());
}

std::string time_word(double nanos) {
  if (nanos >= 1e9) return fmt::format("{:.3g}s", nanos * 1e-9);
  if (nanos >= 1e6) return fmt::format("{:.3g}ms", nanos * 1e-6);
  return fmt::format("{:.3g}us", nanos * 1e-3);
}

}  // namespace

std::vector<Line> lines_of_sites(const Graph& graph) {
  const trawl::profile::Lines lines(graph.file, graph.build);
  std::vector<Line> found;
  for (const auto& site : graph.sites) found.push_back(lines.of_program(site));
  return found;
}

std::vector<LineGrain> grains(const Graph& graph, const std::vector<Line>& lines,
                              const SparkCosts& costs) {
  const auto work = works(graph);
  const double all = work.whole.back();
  std::vector<LineGrain> grains;
  for (const auto& [source, tasks] : sparks(graph, lines)) {
    LineGrain grain;
    grain.function = source.function == 0 ? "(unknown)" : graph.functions[source.function];
    grain.line = source.line;
    grain.thunks = source.thunks;
    grain.sparks = tasks.size();
    const auto number = static_cast<double>(tasks.size());
    std::vector<double> wholes;
    for (const auto task : tasks) {
      wholes.push_back(work.whole[task]);
      grain.work += work.own[task];
      grain.bytes +=
          (double(graph.tasks[task].arguments) + double(graph.tasks[task].result)) / number;
    }
    std::sort(wholes.begin(), wholes.end());
    grain.shortest = wholes.front();
    grain.median = wholes[wholes.size() / 2];
    grain.longest = wholes.back();
    grain.near_pays = share(wholes, costs.near + grain.bytes * costs.near_bytes);
    grain.far_pays = share(wholes, costs.far + grain.bytes * costs.far_bytes);
    grain.cost = all > 0 ? number * (grain.thunks ? costs.par : costs.spawn) / all : 0;
    grains.push_back(grain);
  }
  std::stable_sort(grains.begin(), grains.end(),
                   [](const auto& a, const auto& b) { return a.work > b.work; });
  return grains;
}

std::string verdict(const LineGrain& grain, double all_work) {
  if (grain.cost > dear)
    return fmt::format("too fine: sparks take {:.0f} % of all work", 100 * grain.cost);
  if (grain.near_pays < some)
    return grain.work < dear * all_work ? "does not pay: evaluate in place"
                                        : "never worth sending: join many into one";
  const std::string where = grain.far_pays < some ? "pays; afar only if asked for ahead" : "pays";
  if (grain.near_pays < few) return where + "; short ones stay at home, at next to no cost";
  return where;
}

std::vector<std::string> cut_offs(const Graph& graph, int workers) {
  std::vector<std::string> levels{"0us"};
  const double all = works(graph).whole.back() * 1e9;
  constexpr double finest = 40'000, ratio = 4;
  const double most = all / (2.0 * workers);
  for (double level = finest; level < most && levels.size() < 9; level *= ratio)
    levels.push_back(time_word(level));
  return levels;
}

std::vector<std::string> chunks(const Graph& graph, int workers) {
  std::size_t most = 0;
  for (const auto& [source, tasks] : sparks(graph, {})) most = std::max(most, tasks.size());
  std::vector<std::string> levels{"1"};
  for (std::size_t level = 2; level * static_cast<std::size_t>(workers) <= most && level <= 4096;
       level *= 2)
    levels.push_back(std::to_string(level));
  if (levels.size() > 7) levels.resize(7);
  return levels;
}

}  // namespace tune
