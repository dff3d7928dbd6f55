#include "rts/host/quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace trawl {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// What is limited, by its name in version 1.
constexpr const char* time_of = "cpu";
constexpr const char* memory_of = "memory";

/// Where groups that limit it can be seen. Version 1 has a tree of its own for each.
struct Tree {
  bool version2;
  std::string top;    // the group that is mounted, by its name in /proc/PID/cgroup
  std::string point;  // where
};

/// Is it one of those, between commas?
bool lists(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

bool is_within(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

std::vector<Tree> trees(const std::string& what, const std::string& root) {
  std::vector<Tree> found;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, device, top, point, word, type, source, options;
    words >> id >> parent >> device >> top >> point;
    while (words >> word && word != "-") {
    }
    if (!(words >> type >> source >> options)) continue;
    if (type == "cgroup2" || (type == "cgroup" && lists(options, what)))
      found.push_back({type == "cgroup2", top == "/" ? "" : top, root + point});
  }
  return found;
}

/// The directory of the process's group in the tree; of one that can't be seen, the top.
std::optional<std::string> group_of(const std::string& process, const Tree& tree,
                                    const std::string& what, const std::string& root) {
  std::ifstream groups(root + "/proc/" + process + "/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (tree.version2 ? !controllers.empty() : !lists(controllers, what)) continue;
    const auto group = line.substr(second + 1);
    if (group == "/" || !is_within(group, tree.top)) return tree.point;
    return tree.point + group.substr(tree.top.size());
  }
  return std::nullopt;
}

double time_allowed(const std::string& group, bool version2) {
  std::string quota;  // "max": none
  double period = 0;
  if (version2) {
    std::ifstream(group + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(group + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(group + "/cpu.cfs_period_us") >> period;
  }
  double time = 0;
  const bool limited = static_cast<bool>(std::istringstream(quota) >> time);
  return limited && time > 0 && period > 0 ? time / period : unlimited;
}

double memory_allowed(const std::string& group, bool version2) {
  double bytes = unlimited;  // "max": none
  const auto file = group + (version2 ? "/memory.max" : "/memory.limit_in_bytes");
  if (!(std::ifstream(file) >> bytes)) bytes = unlimited;
  return bytes > 0 ? bytes : unlimited;
}

/// The least share of what any group has that the process is in.
double share_of(const std::string& what, double (*allowed)(const std::string&, bool),
                const std::string& process, const std::vector<std::string>& all,
                const std::string& root) {
  double least = unlimited;
  for (const auto& tree : trees(what, root)) {
    const auto own = group_of(process, tree, what, root);
    if (!own) continue;
    std::vector<std::string> groups;
    for (const auto& each : all)
      if (const auto group = group_of(each, tree, what, root)) groups.push_back(*group);
    for (auto group = *own; is_within(group, tree.point); group.resize(group.rfind('/'))) {
      const auto members = std::count_if(groups.begin(), groups.end(), [&group](const auto& other) {
        return is_within(other, group);
      });
      least = std::min(least, allowed(group, tree.version2) /
                                  static_cast<double>(std::max<std::ptrdiff_t>(1, members)));
    }
  }
  return least;
}

}  // namespace

double quota_share(const std::string& process, const std::vector<std::string>& all,
                   const std::string& root) {
  return share_of(time_of, time_allowed, process, all, root);
}

double memory_quota(const std::string& process, const std::vector<std::string>& all,
                    const std::string& root) {
  return share_of(memory_of, memory_allowed, process, all, root);
}

}  // namespace trawl
