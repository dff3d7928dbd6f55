#include "profiles/tune/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "rts/inline/error.hpp"

namespace tune {
namespace {

// A level that takes so much more of this host than the default is as slow on the grid, or slower.
constexpr double most_times = 20;
constexpr double least_limit = 10;  // seconds
// Each seed has a little more or less work: what gains only if nothing moves gains nothing.
constexpr double wobble = 0.02;
constexpr double golden = 0.618033988749895;

double work_of(unsigned seed) {
  const double place = std::fmod(seed * golden, 1.0);
  return 1 + wobble * (2 * place - 1);
}

std::string line_text(const trawl::fabric::Line& line) {
  return fmt::format(R"("latency": "{} ns", "bandwidth": "{} B/s", "jitter": "{} ns")",
                     line.latency, line.bytes_per_nano * 1e9, line.jitter);
}

/// Read once: it may be a pipe.
std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::error_code missing;
  if (!in || std::filesystem::is_directory(file, missing))
    trawl::fabric::read_grid_file(file);  // says what is wrong
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Two PEs, in one cluster or in two.
std::string pair(const trawl::fabric::Line& line, bool near) {
  if (near)
    return fmt::format(R"({{"clusters": [{{"name": "a", "pes": 2, {}}}]}})", line_text(line));
  return fmt::format(
      R"({{"clusters": [{{"name": "a", "pes": 1}}, {{"name": "b", "pes": 1}}], "between": {{{}}}}})",
      line_text(line));
}

/// How much later a value is there if its spark goes to the other one of two PEs.
double sent_cost(const Replays& replays, const Scratch& scratch, const trawl::fabric::Line& line,
                 bool near) {
  const auto file = scratch.write("pair.json", pair(line, near));
  const auto work = std::max<trawl::Nanos>(100 * line.latency, 10'000'000);
  const auto took = replays.run(
      {{"--flat", fmt::format("2,{}ns", work), "--trawl:simulate=" + file, "--trawl:seed=1"}},
      for_ever);
  if (!took.front().trouble.empty()) throw trawl::Error(took.front().trouble);
  return std::max(0.0, took.front().seconds - static_cast<double>(work) * 1e-9);
}

/// What a run was told to do otherwise: its flags behind the `fixed` first words.
std::string varied(const Words& words, std::size_t fixed) {
  std::string text;
  for (auto i = fixed; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--trawl:simulate=") || word.starts_with("--trawl:seed=")) continue;
    if (word.starts_with("--trawl:") || word.starts_with("--c")) text += words[i] + " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

Tuner::Tuner(const Replays& replays, std::string grid, Words words)
    : replays_(replays), grid_(std::move(grid)), words_(std::move(words)), limit_(for_ever) {
  const auto text = text_of(grid_);
  described_ = trawl::fabric::parse_grid(text, grid_);
  pes_ = described_.pes();
  for (const auto& cluster : described_.clusters) workers_ += cluster.pes * cluster.workers;
  scale_work_ = take_scale("--scale-work=");
  scale_bytes_ = take_scale("--scale-bytes=");
  Words fixed;
  for (const auto& word : words_)
    if (word.starts_with("--trawl:")) fixed.push_back(word);
  space_ = flags_to_try(fixed);
  layouts_ = layouts(nlohmann::json::parse(text));
  layout_files_.push_back(scratch_.write("layout-0.json", text));
  Factor factor{pes_a_host, {layouts_.front().name}, 0};
  for (std::size_t i = 1; i < layouts_.size(); ++i) {
    factor.levels.push_back(layouts_[i].name);
    layout_files_.push_back(
        scratch_.write(fmt::format("layout-{}.json", i), layouts_[i].grid.dump()));
  }
  if (layouts_.size() > 1) space_.push_back(factor);
}

double Tuner::take_scale(const std::string& name) {
  const auto found = std::find_if(words_.begin(), words_.end(),
                                  [&name](const auto& word) { return word.starts_with(name); });
  if (found == words_.end()) return 1;
  const double scale = std::stod(found->substr(name.size()));
  words_.erase(found);
  return scale;
}

Words Tuner::words(const Space& space, const Trial& trial, double bytes) const {
  auto all = words_;
  std::size_t layout = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto& [name, levels, usual] = space[i];
    const auto& level = levels[trial.setting[i]];
    if (name == pes_a_host)
      layout = trial.setting[i];
    else if (name.starts_with("--"))
      all.push_back(name + "=" + level);
    else if (trial.setting[i] != usual)
      all.push_back("--trawl:" + name + "=" + level);
  }
  all.push_back("--trawl:simulate=" + layout_files_[layout]);
  all.push_back(fmt::format("--trawl:seed={}", trial.seed));
  all.push_back(fmt::format("--scale-work={:.6f}", scale_work_ * work_of(trial.seed)));
  all.push_back(fmt::format("--scale-bytes={}", scale_bytes_ * bytes));
  return all;
}

std::vector<double> Tuner::run(const std::vector<Words>& runs, const std::vector<bool>& as_usual) {
  std::vector<double> seconds;
  double longest = 0;
  const auto outcomes = replays_.run(runs, limit_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& outcome = outcomes[i];
    if (!outcome.trouble.empty()) {
      std::string_view why = outcome.trouble;
      if (why.starts_with("trawl-replay: ")) why.remove_prefix(14);
      if (as_usual[i]) throw trawl::Error(why, 2);
      if (trouble_.empty()) trouble_ = fmt::format("{}: {}", varied(runs[i], words_.size()), why);
    }
    if (as_usual[i]) longest = std::max(longest, outcome.processor);
    seconds.push_back(outcome.seconds);
  }
  if (longest > 0) limit_ = std::max(least_limit, most_times * longest);
  return seconds;
}

std::vector<double> Tuner::measure(const Space& space, std::span<const Trial> trials,
                                   double bytes) {
  if (limit_ == for_ever) {  // what is too much is known by one as usual
    const Trial first{usual(space), trials.empty() ? 1 : trials.front().seed};
    run({words(space, first, bytes)}, {true});
  }
  std::vector<Words> runs;
  std::vector<bool> as_usual;
  for (const auto& trial : trials) {
    runs.push_back(words(space, trial, bytes));
    as_usual.push_back(trial.setting == usual(space));
  }
  return run(runs, as_usual);
}

SparkCosts Tuner::costs(SparkCosts local) const {
  const auto& inside = described_.clusters.front().inside;
  local.near = sent_cost(replays_, scratch_, inside, true);
  local.near_bytes = 1e-9 / inside.bytes_per_nano;
  local.far = local.near;
  local.far_bytes = local.near_bytes;
  const trawl::fabric::Line* farthest = nullptr;
  for (int i = 1; i < static_cast<int>(described_.clusters.size()); ++i) {
    const auto& link = described_.link(0, i);
    if (link.missing) continue;
    if (farthest == nullptr || link.line.latency > farthest->latency) farthest = &link.line;
  }
  if (farthest == nullptr) return local;
  local.far = sent_cost(replays_, scratch_, *farthest, false);
  local.far_bytes = 1e-9 / farthest->bytes_per_nano;
  return local;
}

Coarser Tuner::coarser(const replay::Graph& graph, const Setting& advised, Plan plan,
                       const std::function<void(const std::string&)>& say) {
  // The flags are as advised; the grain varies.
  Coarser result;
  result.space = {{"--cut-off", cut_offs(graph, workers_), 0},
                  {"--chunk", chunks(graph, workers_), 0}};
  auto all = space_;
  all.insert(all.end(), result.space.begin(), result.space.end());
  plan.worth = 0.01;
  const Measure measure = [&](std::span<const Trial> trials) {
    std::vector<Trial> whole;
    for (const auto& trial : trials) {
      whole.push_back({advised, trial.seed});
      auto& setting = whole.back().setting;
      setting.insert(setting.end(), trial.setting.begin(), trial.setting.end());
    }
    return this->measure(all, whole);
  };
  const auto advice = advise(result.space, plan, measure, say);
  result.gain = advice.gain;
  result.effects = advice.effects;
  result.cut_off = result.space[0].levels[advice.setting[0]];
  result.chunk = result.space[1].levels[advice.setting[1]];
  return result;
}

}  // namespace tune
