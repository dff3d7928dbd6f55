#include "profiles/report/messages.hpp"

#include <algorithm>
#include <tuple>

#include "profiles/message_name.hpp"
#include "profiles/report/longest.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr std::uint64_t most_looked_at = 1'000'000;
constexpr std::size_t most_drawn = 3000;
constexpr std::size_t tiles = 100;
constexpr std::size_t most_clusters = 64;

struct End {
  std::uint64_t name;
  Nanos time;
  std::int32_t pe;  // that has noted it
  std::uint32_t bytes;
  std::uint16_t kind;
};

/// Both ends of a message have the same name, so they are looked at or left out together.
struct Sample {
  std::uint64_t one_of;
  bool has(std::uint64_t name) const { return (name >> 20U) % one_of == 0; }
};

std::vector<End> ends(const Run& run, Nanos from, Nanos to, Kind kind, Sample sample) {
  std::vector<End> all;
  for (const auto& log : run.logs)
    replay(
        log,
        [&](const Event& event) {
          if (event.kind != kind || event.time < from || event.time > to) return;
          const auto name = message_name(log.header.pe, event);
          if (sample.has(name))
            all.push_back({name, event.time, log.header.pe, event.size, event.extra});
        },
        nullptr);
  std::sort(all.begin(), all.end(), [](const End& a, const End& b) { return a.name < b.name; });
  return all;
}

/// Each PE's cluster, by name; all the same if there are too many.
class Clusters {
 public:
  explicit Clusters(const Run& run) {
    std::map<std::string, int> numbers;
    for (const auto& log : run.logs) {
      const auto& name = log.header.cluster;
      const auto [found, is_new] = numbers.try_emplace(name, static_cast<int>(names_.size()));
      if (is_new) names_.push_back(name);
      of_pe_[log.header.pe] = found->second;
    }
    if (names_.size() > most_clusters) {
      names_ = {""};
      of_pe_.clear();
    }
  }

  int of(int pe) const {
    const auto found = of_pe_.find(pe);
    return found == of_pe_.end() ? 0 : found->second;
  }
  const std::string& name(int cluster) const { return names_[static_cast<std::size_t>(cluster)]; }

 private:
  std::map<int, int> of_pe_;
  std::vector<std::string> names_;
};

struct Way {
  Link link;
  std::vector<float> times;
};
using Ways = std::map<std::pair<int, int>, Way>;

void count_sent(const Run& run, Nanos from, Nanos to, const Clusters& clusters, Ways& ways,
                Messages& messages) {
  for (const auto& log : run.logs) {
    const int here = clusters.of(log.header.pe);
    replay(
        log,
        [&](const Event& event) {
          if (event.kind != Kind::message_sent || event.time < from || event.time > to) return;
          auto& link = ways[{here, clusters.of(static_cast<int>(event.value))}].link;
          ++link.number;
          link.bytes += event.size;
          ++messages.seen;
        },
        nullptr);
  }
}

void sum_up(Way& way) {
  if (way.times.empty()) return;
  const auto at = [&way](double share) {
    const auto place = way.times.begin() +
                       static_cast<std::ptrdiff_t>(share * static_cast<double>(way.times.size()));
    std::nth_element(way.times.begin(), place, way.times.end());
    return static_cast<double>(*place);
  };
  way.link.median = at(0.5);
  way.link.slow = at(0.99);
}

}  // namespace

Messages measure_messages(const Run& run, Nanos from, Nanos to) {
  Messages messages;
  const Clusters clusters(run);
  Ways ways;
  count_sent(run, from, to, clusters, ways, messages);

  const Sample sample{1 + messages.seen / most_looked_at};
  const auto sent = ends(run, from, to, Kind::message_sent, sample);
  const auto received = ends(run, from, to, Kind::message_received, sample);
  Longest<Message> drawn(tiles, most_drawn);
  const auto part = [&](Nanos time, std::size_t parts) {
    const auto share = static_cast<double>(time - from) / static_cast<double>(to - from + 1);
    return static_cast<std::size_t>(share * static_cast<double>(parts));
  };
  auto next = received.begin();
  for (const auto& out : sent) {
    while (next != received.end() && next->name < out.name) ++next;
    if (next == received.end() || next->name != out.name) continue;
    const Message message{out.time, next->time, out.pe, next->pe, out.bytes, out.kind};
    ++next;
    ++messages.looked_at;
    if (message.from == message.to) continue;
    if (message.length() < 0) {
      ++messages.back_in_time;
      continue;
    }
    auto& way = ways[{clusters.of(message.from), clusters.of(message.to)}];
    way.times.push_back(static_cast<float>(message.length()));
    way.link.over_time.resize(Link::parts);
    auto& slot = way.link.over_time[part(message.begin, Link::parts)];
    ++slot.number;
    slot.sum += static_cast<double>(message.length());
    drawn.add(part(message.begin, tiles), message);
  }
  messages.drawn = drawn.take();

  for (auto& [pair, way] : ways) {
    sum_up(way);
    way.link.from = clusters.name(pair.first);
    way.link.to = clusters.name(pair.second);
    messages.links.push_back(std::move(way.link));
  }
  std::stable_sort(messages.links.begin(), messages.links.end(),
                   [](const Link& a, const Link& b) { return a.number > b.number; });
  if (messages.links.size() > most_links) messages.links.resize(most_links);
  return messages;
}

}  // namespace trawl::profile
