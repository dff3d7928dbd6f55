#include "rts/fabric/grid_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "rts/base/c_locale.hpp"
#include "rts/base/mix.hpp"
#include "rts/fabric/checked_json.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

Line read_line(const Entry& entry, Line line) {
  if (entry.has("latency")) line.latency = entry.at("latency").time();
  if (entry.has("bandwidth")) line.bytes_per_nano = entry.at("bandwidth").rate();
  if (entry.has("jitter")) line.jitter = entry.at("jitter").time();
  return line;
}

GridCluster read_cluster(const Entry& entry, int first_pe) {
  entry.check_members(
      {"name", "pes", "workers", "speed", "absolute_speed", "latency", "bandwidth", "jitter"});
  GridCluster cluster;
  cluster.name = entry.at("name").text();
  if (cluster.name.empty()) entry.refuse("a cluster needs a name");
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  if (std::any_of(cluster.name.begin(), cluster.name.end(), is_control))
    entry.at("name").refuse("a name has no control characters");
  cluster.first_pe = first_pe;
  const auto pes = entry.at("pes");
  if (first_pe == GridFile::most_pes)
    pes.refuse(fmt::format("a grid has at most {} PEs, and those before are as many", first_pe));
  cluster.pes = pes.whole(1, GridFile::most_pes - first_pe);
  if (entry.has("workers")) cluster.workers = entry.at("workers").whole(1, 192);
  if (entry.has("speed") && entry.has("absolute_speed"))
    entry.refuse("give it a speed or an absolute_speed, not both");
  cluster.speed_is_absolute = entry.has("absolute_speed");
  if (cluster.speed_is_absolute) cluster.speed = entry.at("absolute_speed").number(1e-6, 1e12);
  if (entry.has("speed")) cluster.speed = entry.at("speed").number(1e-6, 1e6);
  cluster.inside = read_line(entry, {.latency = 50'000, .bytes_per_nano = 0.1});
  return cluster;
}

void read_changes(const Entry& entry, GridLink& link) {
  if (entry.has("period")) link.period = entry.at("period").turn();
  if (!entry.has("changes")) {
    if (link.period != 0) entry.refuse("a period is one of changes, and there are none");
    return;
  }
  for (const auto& each : entry.at("changes").elements()) {
    each.check_members({"at", "latency", "bandwidth", "jitter"});
    const GridLink::Change change{each.at("at").time(), read_line(each, link.line)};
    if (!link.changes.empty() && change.at <= link.changes.back().at)
      each.refuse("changes come in the order of time");
    if (link.period != 0 && change.at >= link.period) each.refuse("this is after the period's end");
    link.changes.push_back(change);
  }
}

class GridReader {
 public:
  explicit GridReader(const Entry& top) : top_(top) {}

  GridFile read() {
    top_.check_members({"about", "clusters", "between", "links", "random_changes", "speed_changes",
                        "joins", "deaths"});
    if (top_.has("about")) top_.at("about").text();
    for (const auto& each : top_.at("clusters").elements()) {
      grid_.clusters.push_back(read_cluster(each, grid_.pes()));
      if (grid_.clusters.back().speed_is_absolute != grid_.clusters.front().speed_is_absolute)
        each.refuse("all clusters have an absolute_speed, or none");
      const auto number = static_cast<int>(numbers_.size());
      if (!numbers_.try_emplace(grid_.clusters.back().name, number).second)
        each.refuse("there is a cluster of that name already");
    }
    if (grid_.clusters.empty()) top_.at("clusters").refuse("a grid has at least one cluster");
    read_links();
    if (top_.has("random_changes")) read_random_changes(top_.at("random_changes"));
    if (top_.has("speed_changes"))
      for (const auto& each : top_.at("speed_changes").elements()) read_speed_change(each);
    std::stable_sort(grid_.speed_changes.begin(), grid_.speed_changes.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    read_joins();
    read_deaths();
    std::stable_sort(grid_.changes.begin(), grid_.changes.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    return std::move(grid_);
  }

 private:
  void read_links() {
    if (top_.has("between")) {
      const auto entry = top_.at("between");
      entry.check_members({"latency", "bandwidth", "jitter", "changes", "period"});
      grid_.between.line = read_line(entry, grid_.between.line);
      read_changes(entry, grid_.between);
    } else if (grid_.clusters.size() > 1) {
      top_.refuse("'between' is missing: what is between any two clusters");
    }
    if (top_.has("links"))
      for (const auto& each : top_.at("links").elements()) read_link(each);
    if (!grid_.has_missing_links()) return;
    if (grid_.clusters.size() > GridFile::most_clusters_with_missing_links)
      top_.refuse(fmt::format("with missing links there can be {} clusters",
                              GridFile::most_clusters_with_missing_links));
    if (const int other = first_apart(true); other != 0) refuse_way(0, other);
    if (const int other = first_apart(false); other != 0) refuse_way(other, 0);
  }

  /// A cluster that no way leads to from the first one, or that has none to it; 0: each has one.
  int first_apart(bool from_first) const {
    const auto count = static_cast<int>(grid_.clusters.size());
    std::vector<bool> reached(grid_.clusters.size());
    std::vector<int> next{0};
    reached[0] = true;
    while (!next.empty()) {
      const int at = next.back();
      next.pop_back();
      for (int other = 0; other < count; ++other) {
        const auto& link = from_first ? grid_.link(at, other) : grid_.link(other, at);
        if (link.missing || reached[static_cast<std::size_t>(other)]) continue;
        reached[static_cast<std::size_t>(other)] = true;
        next.push_back(other);
      }
    }
    const auto apart = std::find(reached.begin(), reached.end(), false);
    return apart == reached.end() ? 0 : static_cast<int>(apart - reached.begin());
  }

  void refuse_way(int from, int to) const {
    top_.refuse(fmt::format("the grid has no way from cluster {} to {}: too many links are missing",
                            grid_.clusters[static_cast<std::size_t>(from)].name,
                            grid_.clusters[static_cast<std::size_t>(to)].name));
  }

  void read_link(const Entry& entry) {
    entry.check_members({"from", "to", "between", "latency", "bandwidth", "jitter", "changes",
                         "period", "missing"});
    GridLink link = grid_.between;
    link.line = read_line(entry, link.line);
    if (entry.has("changes") || entry.has("period")) link.changes.clear();
    read_changes(entry, link);
    if (entry.has("missing")) link.missing = entry.at("missing").yes_or_no();
    if (!entry.has("between")) {
      const int from = cluster(entry.at("from"));
      const int to = cluster(entry.at("to"));
      if (from == to) entry.refuse("a link is between two clusters");
      return add_link(entry, from, to, link);
    }
    if (entry.has("from") || entry.has("to"))
      entry.refuse("a link is 'between' two clusters, or 'from' one 'to' another");
    const auto ends = entry.at("between").elements();
    if (ends.size() != 2) entry.at("between").refuse("a link is between two clusters");
    const int one = cluster(ends[0]);
    const int other = cluster(ends[1]);
    if (one == other) entry.refuse("a link is between two clusters");
    add_link(entry, one, other, link);
    add_link(entry, other, one, link);
  }

  void add_link(const Entry& entry, int from, int to, const GridLink& link) {
    if (!grid_.links.try_emplace({from, to}, link).second)
      entry.refuse(fmt::format("there is a link from {} to {} already",
                               grid_.clusters[static_cast<std::size_t>(from)].name,
                               grid_.clusters[static_cast<std::size_t>(to)].name));
  }

  int cluster(const Entry& entry) const {
    const auto name = entry.text();
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) entry.refuse("there is no cluster '" + name + "'");
    return found->second;
  }

  void read_random_changes(const Entry& entry) {
    entry.check_members({"every", "bandwidth", "latency", "seed"});
    auto& changes = grid_.random_changes;
    changes.every = entry.at("every").turn();
    const auto range = [](const Entry& each, double& least, double& most) {
      const auto bounds = each.elements();
      if (bounds.size() != 2) each.refuse("this has to be a list of two shares, [0.1, 1]");
      least = bounds[0].number(1e-6, 1e6);
      most = bounds[1].number(least, 1e6);
    };
    if (entry.has("bandwidth"))
      range(entry.at("bandwidth"), changes.least_bandwidth, changes.most_bandwidth);
    if (entry.has("latency"))
      range(entry.at("latency"), changes.least_latency, changes.most_latency);
    if (entry.has("seed"))
      changes.seed = static_cast<std::uint64_t>(entry.at("seed").number(0, 9e15));
  }

  void read_speed_change(const Entry& entry) {
    entry.check_members({"pe", "at", "speed"});
    grid_.speed_changes.push_back({entry.at("pe").whole(0, grid_.pes() - 1), entry.at("at").time(),
                                   entry.at("speed").number(1e-6, 1e6)});
  }

  GridChange read_change(const Entry& entry, GridChange::What what) const {
    entry.check_members({"pe", "at"});
    const GridChange change{entry.at("pe").whole(0, grid_.pes() - 1), entry.at("at").time(), what};
    if (change.pe == 0) entry.refuse("0 is the main PE, which is there as long as the run");
    return change;
  }

  /// Seats of those who come later are the last ones, taken in their order.
  void read_joins() {
    if (!top_.has("joins")) return;
    const auto entries = top_.at("joins").elements();
    auto pe = grid_.pes() - static_cast<int>(entries.size());
    for (const auto& each : entries) {
      const auto change = read_change(each, GridChange::What::joins);
      if (change.pe != pe++ || (!grid_.changes.empty() && change.at < grid_.changes.back().at))
        each.refuse(
            fmt::format("those who join are the last PEs, in the order of their numbers and of "
                        "time: here PE {}",
                        pe - 1));
      grid_.changes.push_back(change);
    }
  }

  /// After all that join.
  void read_deaths() {
    if (!top_.has("deaths")) return;
    for (const auto& each : top_.at("deaths").elements()) {
      const auto death = read_change(each, GridChange::What::dies);
      for (const auto& other : grid_.changes) {
        if (other.pe != death.pe) continue;
        if (other.what == GridChange::What::dies)
          each.refuse(fmt::format("PE {} dies twice", death.pe));
        if (death.at <= other.at)
          each.refuse(fmt::format("PE {} has not joined by then", death.pe));
      }
      grid_.changes.push_back(death);
    }
  }

  const Entry& top_;
  GridFile grid_;
  std::unordered_map<std::string, int> numbers_;  // of clusters
};

/// Nothing: errno says why, or it is 0 and the file is empty.
std::optional<std::string> read_text(const std::string& name) {
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // a folder fails here
  if (!file || !text) return std::nullopt;
  return text.str();
}

}  // namespace

int GridFile::cluster_of(int pe) const noexcept {
  const auto after = std::upper_bound(
      clusters.begin(), clusters.end(), pe,
      [](int each, const GridCluster& cluster) { return each < cluster.first_pe; });
  return static_cast<int>(after - clusters.begin()) - 1;
}

const GridLink& GridFile::link(int from, int to) const {
  const auto found = links.find({from, to});
  return found == links.end() ? between : found->second;
}

int GridFile::count(GridChange::What what) const noexcept {
  return static_cast<int>(std::count_if(
      changes.begin(), changes.end(), [what](const auto& change) { return change.what == what; }));
}

double GridFile::best_share(int pe) const noexcept {
  double best = 0;
  bool from_the_beginning = false;
  for (const auto& change : speed_changes) {
    if (change.pe != pe) continue;
    best = std::max(best, change.speed);
    from_the_beginning |= change.at == 0;
  }
  return from_the_beginning ? best : std::max(best, 1.0);
}

bool GridFile::has_missing_links() const noexcept {
  return std::any_of(links.begin(), links.end(),
                     [](const auto& each) { return each.second.missing; });
}

GridFile read_grid_file(const std::string& name) {
  const auto text = read_text(name);
  if (!text)
    throw Error("cannot read the grid file " + name + ": " +
                    (errno != 0 ? std::strerror(errno) : "it is empty"),
                2);
  return parse_grid(*text, name);
}

std::optional<std::uint64_t> digest_of_grid_file(const std::string& name) {
  const auto text = read_text(name);
  if (!text) return std::nullopt;
  auto digest = mixed(text->size());
  for (const char c : *text) digest = mixed(digest ^ static_cast<unsigned char>(c));
  return digest;
}

GridFile parse_grid(std::string_view text, const std::string& name) {
  const CLocale numbers_have_points;
  const auto json = parse_checked(text, name);
  return GridReader(Entry(json, name, "")).read();
}

}  // namespace trawl::fabric
