#include "rts/fabric/grid_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rts/host/c_locale.hpp"
#include "rts/inline/error.hpp"
#include "rts/mix.hpp"

namespace trawl::fabric {
namespace {

using Json = nlohmann::json;

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array times{Unit{"ns", 1.0}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
constexpr std::array rates{Unit{"B/s", 1e-9}, Unit{"KB/s", 1e-6}, Unit{"MB/s", 1e-3},
                           Unit{"GB/s", 1.0}};
constexpr double longest = 3.6e15;  // a thousand hours
constexpr Nanos shortest_turn = 1'000'000;

/// What the file says somewhere, with the way there, for errors.
class Entry {
 public:
  Entry(const Json& value, const std::string& file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(file_ + ": " + (path_.empty() ? "" : path_ + ": ") + why, 2);
  }

  /// It is an object with no other members than these.
  void check_members(std::initializer_list<std::string_view> known) const {
    if (!value_.is_object()) refuse("this has to be an object, { ... }");
    for (const auto& [name, value] : value_.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        refuse(fmt::format("there is no '{}' here; there can be {}", name, fmt::join(known, ", ")));
  }

  bool has(const char* name) const { return value_.contains(name); }
  Entry at(const char* name) const {
    if (!has(name)) refuse(fmt::format("'{}' is missing", name));
    return {value_[name], file_, path_.empty() ? name : path_ + "." + name};
  }
  std::vector<Entry> elements() const {
    if (!value_.is_array()) refuse("this has to be a list, [ ... ]");
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < value_.size(); ++i)
      entries.emplace_back(value_[i], file_, fmt::format("{}[{}]", path_, i));
    return entries;
  }

  std::string text() const {
    if (!value_.is_string()) refuse("this has to be a text, in quotes");
    return value_.get<std::string>();
  }
  bool is_text() const { return value_.is_string(); }
  bool yes_or_no() const {
    if (!value_.is_boolean()) refuse("this has to be true or false");
    return value_.get<bool>();
  }
  double number(double least, double most) const {
    if (!value_.is_number()) refuse("this has to be a number");
    const auto number = value_.get<double>();
    if (!(number >= least && number <= most))
      refuse(fmt::format("{} is not between {} and {}", number, least, most));
    return number;
  }
  int whole(int least, int most) const {
    const double number_here = number(least, most);
    if (number_here != std::floor(number_here)) refuse("this has to be a whole number");
    return static_cast<int>(number_here);
  }
  Nanos time() const {
    const auto nanos = quantity(times, "time", "\"100 ms\"");
    if (nanos > longest) refuse("that is more than a thousand hours");
    return std::llround(nanos);
  }
  /// After which something changes, again and again.
  Nanos turn() const {
    const auto nanos = time();
    if (nanos < shortest_turn) refuse("that is less than 1 ms");
    return nanos;
  }
  double rate() const {
    const auto rate = quantity(rates, "bandwidth", "\"100 KB/s\"");
    if (!(rate >= 1e-9)) refuse("a bandwidth is at least 1 B/s");
    return rate;
  }

 private:
  template <std::size_t N>
  double quantity(const std::array<Unit, N>& units, std::string_view what,
                  std::string_view example) const {
    const auto all = text();
    std::size_t end = 0;
    double number = -1;
    try {
      number = std::stod(all, &end);
    } catch (const std::exception&) {
    }
    while (end < all.size() && all[end] == ' ') ++end;
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& each) {
      return each.name == std::string_view(all).substr(end);
    });
    if (unit == units.end() || !(number >= 0) || !std::isfinite(number))
      refuse(fmt::format("'{}' is no {}: write it as in {}", all, what, example));
    return number * unit->factor;
  }

  const Json& value_;
  const std::string& file_;
  std::string path_;
};

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
  cluster.first_pe = first_pe;
  cluster.pes = entry.at("pes").whole(1, GridFile::most_pes - first_pe);
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
    top_.check_members(
        {"about", "clusters", "between", "links", "random_changes", "speed_changes", "deaths"});
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
    if (top_.has("deaths"))
      for (const auto& each : top_.at("deaths").elements()) read_death(each);
    std::stable_sort(grid_.deaths.begin(), grid_.deaths.end(),
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

  void read_death(const Entry& entry) {
    entry.check_members({"pe", "at"});
    const int pe = entry.at("pe").whole(0, grid_.pes() - 1);
    if (pe == 0) entry.refuse("0 is the main PE, whose death ends a run");
    for (const auto& other : grid_.deaths)
      if (other.pe == pe) entry.refuse(fmt::format("PE {} dies twice", pe));
    grid_.deaths.push_back({pe, entry.at("at").time()});
  }

  const Entry& top_;
  GridFile grid_;
  std::unordered_map<std::string, int> numbers_;  // of clusters
};

/// Sees a file while it is read: of a member that is given twice the parser would keep one, and of
/// what it can't read it knows no place.
class WayThrough {
 public:
  explicit WayThrough(const std::string& file) : file_(file) {}

  /// To what is read at present.
  std::string path() const {
    std::string path;
    for (const auto& each : open_)
      path +=
          each.is_list ? fmt::format("[{}]", each.values) : (path.empty() ? "" : ".") + each.member;
    return path;
  }

  void see(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::key:
        key(parsed.get<std::string>());
        break;
      case Event::object_start:
      case Event::array_start:
        open_.push_back({event == Event::array_start});
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        [[fallthrough]];
      case Event::value:
        if (!open_.empty()) ++open_.back().values;
    }
  }

 private:
  struct Open {
    bool is_list = false;
    std::size_t values = 0;
    std::string member{};
    std::unordered_set<std::string> members{};
  };

  void key(const std::string& name) {
    open_.back().member = name;
    if (open_.back().members.insert(name).second) return;
    throw Error(file_ + ": " + path() + ": this is given twice, and only one can hold", 2);
  }

  const std::string& file_;
  std::vector<Open> open_;
};

/// Of the parser's message what is about the text: "unexpected ']'; expected '}'".
std::string cause_in(std::string_view message) {
  const auto begin = message.find(" - ");
  return begin == std::string_view::npos ? "" : ": " + std::string(message.substr(begin + 3));
}

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
  Json json;
  WayThrough way(name);
  try {
    json = Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
      way.see(event, parsed);
      return true;
    });
  } catch (const Json::parse_error& e) {
    const auto before = text.substr(0, std::min(e.byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = e.byte - (before.rfind('\n') + 1);
    throw Error(fmt::format("{}: line {}, column {}: this is not JSON{}", name, line, column,
                            cause_in(e.what())),
                2);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: {}: this number is too large", name, way.path()), 2);
  }
  const Entry top(json, name, "");
  return GridReader(top).read();
}

}  // namespace trawl::fabric
