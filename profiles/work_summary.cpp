#include "profiles/work_summary.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiles/axis.hpp"

namespace trawl::profile {
namespace {

std::string cell_text(const Fishes& fishes) {
  if (fishes.asked == 0 && fishes.found == 0 && fishes.forwarded == 0) return "-";
  const auto time = fishes.back == 0 ? std::string("-") : duration(fishes.mean_time());
  return fmt::format("{}/{}/{}/{} {}", fishes.asked, fishes.found, fishes.forwarded, fishes.in_vain,
                     time);
}

std::string fish_table(const FishMatrix& fishes) {
  const auto groups = fishes.names.size();
  std::size_t name_width = 6;
  std::size_t width = 6;
  std::vector<std::string> cells;
  for (const auto& each : fishes.cells) cells.push_back(cell_text(each));
  for (const auto& cell : cells) width = std::max(width, cell.size());
  for (const auto& name : fishes.names) name_width = std::max(name_width, name.size());
  std::string out = "FISH, thief by victim: asked first/found there/passed on/in vain, mean time\n";
  out += fmt::format("{:>{}}", "", name_width);
  for (const auto& name : fishes.names) out += fmt::format("  {:>{}}", name, width);
  out += '\n';
  for (std::size_t thief = 0; thief < groups; ++thief) {
    out += fmt::format("{:>{}}", fishes.names[thief], name_width);
    for (std::size_t victim = 0; victim < groups; ++victim)
      out += fmt::format("  {:>{}}", cells[thief * groups + victim], width);
    out += '\n';
  }
  return out;
}

nlohmann::json histogram(const Histogram& histogram, double unit) {
  auto columns = nlohmann::json::array();
  for (std::size_t column = 0; column < Histogram::columns; ++column)
    if (histogram.count[column] != 0) {
      const double below = static_cast<double>(std::uint64_t{1} << column);
      columns.push_back({{"below", below / unit}, {"count", histogram.count[column]}});
    }
  return {{"count", histogram.number},
          {"mean", histogram.mean() / unit},
          {"histogram", std::move(columns)}};
}

}  // namespace

std::string work_table(const FishMatrix& fishes, const Beliefs& beliefs,
                       const Granularity& granularity) {
  std::string out;
  const bool fished = std::any_of(fishes.cells.begin(), fishes.cells.end(), [](const auto& cell) {
    return cell.asked + cell.forwarded != 0;
  });
  if (fished) out += fish_table(fishes);
  if (beliefs.number() != 0) {
    const auto number = static_cast<double>(beliefs.number());
    out += fmt::format(
        "victims were believed to have {:.1f} sparks and had {:.1f} (off by {:.1f}); right about "
        "whether there were any: {:.0f} %\n",
        beliefs.believed / number, beliefs.had / number, beliefs.error / number,
        100 * static_cast<double>(beliefs.right()) / number);
  }
  const auto mean = [](const Histogram& threads) {
    if (threads.number == 0) return std::string("0");
    return fmt::format("{} of mean length {}", threads.number, duration(threads.mean()));
  };
  out += "threads: " + mean(granularity.own) + " of sparks from here, " +
         mean(granularity.imported) + " of sparks from other PEs";
  if (granularity.packets.number != 0)
    out += fmt::format("; a spark sent away took {:.0f} bytes", granularity.packets.mean());
  return out + "\n";
}

namespace {

double count_of(const Beliefs& beliefs) {
  return static_cast<double>(std::max<std::uint64_t>(beliefs.number(), 1));
}

}  // namespace

nlohmann::json work_json(const Fishing& fishing, const Granularity& granularity) {
  auto fish = nlohmann::json::array();
  for (const auto& [pes, fishes] : fishing.by_pe)
    fish.push_back({{"thief", pes.first},
                    {"victim", pes.second},
                    {"asked", fishes.asked},
                    {"found", fishes.found},
                    {"forwarded", fishes.forwarded},
                    {"in_vain", fishes.in_vain},
                    {"mean_time", fishes.mean_time() / 1e9}});
  auto over_time = nlohmann::json::array();
  for (const auto& part : fishing.over_time)
    over_time.push_back(part.number() == 0
                            ? nlohmann::json(nullptr)
                            : nlohmann::json{{"believed", part.believed / count_of(part)},
                                             {"had", part.had / count_of(part)}});
  const auto& beliefs = fishing.beliefs;
  const auto number = count_of(beliefs);
  return {{"fish", std::move(fish)},
          {"beliefs",
           {{"count", beliefs.number()},
            {"believed_none_had_none", beliefs.some[0][0]},
            {"believed_none_had_some", beliefs.some[0][1]},
            {"believed_some_had_none", beliefs.some[1][0]},
            {"believed_some_had_some", beliefs.some[1][1]},
            {"mean_believed", beliefs.believed / number},
            {"mean_had", beliefs.had / number},
            {"mean_error", beliefs.error / number},
            {"over_time", std::move(over_time)}}},
          {"threads", histogram(granularity.own, 1e9)},
          {"threads_of_imported", histogram(granularity.imported, 1e9)},
          {"spark_bytes", histogram(granularity.packets, 1)}};
}

}  // namespace trawl::profile
