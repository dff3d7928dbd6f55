#include "profiles/report/messages.hpp"

#include <algorithm>

#include "profiles/message_name.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr std::size_t most_looked_at = 1'000'000;
constexpr std::size_t most_drawn = 3000;
constexpr std::size_t tiles = 100;
constexpr std::size_t most_clusters = 64;

double most_carried(const Link& link) {
  std::uint64_t most = 0;
  for (const auto& part : link.over_time) most = std::max(most, part.bytes);
  return static_cast<double>(most);
}

}  // namespace

void MessageEnds::sum_up(Way& way) {
  auto& taken = way.taken;
  if (taken.empty()) return;
  const auto at = [&taken](double share) {
    const auto place =
        taken.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(taken.size()));
    std::nth_element(taken.begin(), place, taken.end(),
                     [](const Taken& a, const Taken& b) { return a.time() < b.time(); });
    return static_cast<double>(place->time());
  };
  way.link.median = at(0.5);
  way.link.slow = at(0.99);
}

// A message is on the link from when it has come as far as the quickest, or from when the one
// before has passed, to when it arrives. Short ones would be told apart by what disturbs them.
double MessageEnds::judge_load(Way& way) {
  constexpr std::uint32_t long_enough = 1024;
  auto& taken = way.taken;
  if (taken.empty()) return 0;
  const auto quickest =
      *std::min_element(taken.begin(), taken.end(),
                        [](const Taken& a, const Taken& b) { return a.time() < b.time(); });
  std::uint32_t longest = 0;
  for (const auto& one : taken) longest = std::max(longest, one.bytes);
  const auto least = std::max(longest / 4, quickest.bytes + long_enough);
  std::sort(taken.begin(), taken.end(),
            [](const Taken& a, const Taken& b) { return a.end < b.end; });
  std::vector<double> rates;
  double on_it = 0;       // ns, the long ones
  double bytes_else = 0;  // in the others
  Nanos before = 0;
  for (const auto& one : taken) {
    const auto alone = one.begin + quickest.time();
    const auto took = static_cast<double>(one.end - std::max(before, alone));
    if (one.bytes >= least && took > 0) {
      rates.push_back((before > alone ? one.bytes : one.bytes - quickest.bytes) * 1e9 / took);
      on_it += took;
    } else {
      bytes_else += one.bytes;
    }
    before = one.end;
  }
  if (rates.empty()) return 0;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  way.link.carries = *middle;
  return on_it / 1e9 + bytes_else / *middle;
}

MessageEnds::MessageEnds(const Run& run, Nanos from, Nanos to) : from_(from), to_(to) {
  std::map<std::string, int> numbers;
  for (const auto& log : run.logs) {
    const auto [found, is_new] =
        numbers.try_emplace(log.header.cluster, static_cast<int>(names_.size()));
    if (is_new) names_.push_back(log.header.cluster);
    cluster_.resize(static_cast<std::size_t>(log.header.pe) + 1);
    cluster_.back() = found->second;
  }
  if (names_.size() > most_clusters) {
    names_ = {""};
    cluster_.clear();
  }
}

void MessageEnds::see(int pe, const Event& event) {
  const bool sent = event.kind == Kind::message_sent;
  if ((!sent && event.kind != Kind::message_received) || event.time < from_ || event.time > to_)
    return;
  if (sent) {
    auto& link = ways_[{cluster_of(static_cast<std::uint32_t>(pe)), cluster_of(event.value)}].link;
    ++link.number;
    link.bytes += event.size;
    link.over_time[part(event.time, Link::parts)].bytes += event.size;
    ++messages_.seen;
  }
  const auto name = message_name(pe, event);
  if ((name >> 20U) % one_of_ != 0) return;
  auto& ends = sent ? sent_ : received_;
  ends.push_back({name, event.time, pe, event.size, event.extra});
  if (ends.size() > most_looked_at) thin_out();
}

// Both ends of a message have the same name, so they are left out together. (A log of one name may
// have been made to be read for ever.)
void MessageEnds::thin_out() {
  constexpr std::uint64_t most = std::uint64_t{1} << 40U;
  one_of_ = std::min(2 * one_of_, most);
  for (auto* ends : {&sent_, &received_}) {
    std::erase_if(*ends, [this](const End& end) { return (end.name >> 20U) % one_of_ != 0; });
    if (one_of_ == most) ends->resize(std::min(ends->size(), most_looked_at / 2));
  }
}

std::size_t MessageEnds::part(Nanos time, std::size_t parts) const {
  const auto share = static_cast<double>(time - from_) / static_cast<double>(to_ - from_ + 1);
  return static_cast<std::size_t>(share * static_cast<double>(parts));
}

void MessageEnds::look_at(const Message& message, Longest<Message>& drawn) {
  ++messages_.looked_at;
  if (message.from == message.to) return;
  if (message.length() < 0) {
    ++messages_.back_in_time;
    return;
  }
  auto& way = ways_[{cluster_of(static_cast<std::uint32_t>(message.from)),
                     cluster_of(static_cast<std::uint32_t>(message.to))}];
  way.taken.push_back({message.begin, message.end, message.bytes});
  auto& slot = way.link.over_time[part(message.begin, Link::parts)];
  ++slot.number;
  slot.sum += static_cast<double>(message.length());
  drawn.add(part(message.begin, tiles), message);
}

Messages MessageEnds::result() {
  const auto by_name = [](const End& a, const End& b) { return a.name < b.name; };
  std::sort(sent_.begin(), sent_.end(), by_name);
  std::sort(received_.begin(), received_.end(), by_name);
  Longest<Message> drawn(tiles, most_drawn);
  auto next = received_.begin();
  for (const auto& out : sent_) {
    while (next != received_.end() && next->name < out.name) ++next;
    if (next == received_.end() || next->name != out.name) continue;
    look_at({out.time, next->time, out.pe, next->pe, out.bytes, out.kind}, drawn);
    ++next;
  }
  messages_.drawn = drawn.take();

  const auto of_each = static_cast<double>(one_of_);  // one was looked at
  messages_.part = static_cast<double>(to_ - from_ + 1) / 1e9 / Link::parts;
  for (auto& [pair, way] : ways_) {
    sum_up(way);
    way.link.rate = most_carried(way.link) / messages_.part;
    if (pair.first != pair.second)  // inside there are many links, between pairs of PEs
      way.link.busy = std::min(1.0, judge_load(way) * of_each / (messages_.part * Link::parts));
    way.link.from = names_[static_cast<std::size_t>(pair.first)];
    way.link.to = names_[static_cast<std::size_t>(pair.second)];
    messages_.links.push_back(std::move(way.link));
  }
  std::stable_sort(messages_.links.begin(), messages_.links.end(),
                   [](const Link& a, const Link& b) { return a.number > b.number; });
  if (messages_.links.size() > most_links) messages_.links.resize(most_links);
  return std::move(messages_);
}

std::string link_name(const std::string& from, const std::string& to) {
  const auto end = [](const std::string& name) { return name.empty() ? std::string("PEs") : name; };
  return from == to ? "inside " + end(from) : "from " + end(from) + " to " + end(to);
}

}  // namespace trawl::profile
