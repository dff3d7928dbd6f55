#include "profiles/top/sample.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "profiles/ascii.hpp"

namespace trawl::top {
namespace {

using trace::Presence;
using trace::Pulse;

double since(std::uint64_t now, std::uint64_t before) {
  return static_cast<double>(now - std::min(now, before));
}

void set_shares(Line& line, const Pulse& now, const Pulse& before) {
  const auto mutator = since(now.mutator, before.mutator);
  const auto collector = since(now.collector, before.collector);
  const auto communication = since(now.communication, before.communication);
  const auto idle = since(now.idle, before.idle);
  const auto life = std::max(mutator + collector + communication + idle, 1.0);
  line.mutator = mutator / life;
  line.collector = collector / life;
  line.communication = communication / life;
  line.idle = idle / life;
}

void set_rates(Line& line, const Pulse& now, const Pulse& before) {
  const auto seconds = static_cast<double>(std::max<Nanos>(now.time - before.time, 1)) * 1e-9;
  line.done_rate = since(now.done(), before.done()) / seconds;
  line.fish_rate = since(now.fish_sent, before.fish_sent) / seconds;
  line.vain_rate = since(now.fish_in_vain, before.fish_in_vain) / seconds;
  line.message_rate = since(now.messages_sent, before.messages_sent) / seconds;
  line.byte_rate = since(now.message_bytes, before.message_bytes) / seconds;
}

void set_figures(Line& line, const Pulse& now) {
  line.host = profile::ascii(trace::text_of(now.host));
  line.cluster = profile::ascii(trace::text_of(now.cluster));
  line.workers = now.workers;
  line.busy = now.busy;
  line.sparks = now.sparks;
  line.runnable = now.runnable;
  line.blocked = now.blocked;
  line.done = now.done();
  line.threads = now.threads_created;
  line.exported = now.sparks_exported;
  line.imported = now.sparks_imported;
  line.heap_used = now.heap_used;
  line.heap_bytes = now.heap_bytes;
  line.pulse = now;
}

void add(Line& sum, const Line& one) {
  const auto mean = [&](double& of_sum, double of_one) {
    const auto a = static_cast<double>(sum.workers);
    const auto b = static_cast<double>(one.workers);
    of_sum = a + b == 0 ? 0 : (of_sum * a + of_one * b) / (a + b);
  };
  mean(sum.mutator, one.mutator);
  mean(sum.collector, one.collector);
  mean(sum.communication, one.communication);
  mean(sum.idle, one.idle);
  sum.pes += one.pes;
  sum.workers += one.workers;
  sum.busy += one.busy;
  sum.sparks += one.sparks;
  sum.runnable += one.runnable;
  sum.blocked += one.blocked;
  sum.done += one.done;
  sum.threads += one.threads;
  sum.exported += one.exported;
  sum.imported += one.imported;
  sum.heap_used += one.heap_used;
  sum.heap_bytes += one.heap_bytes;
  sum.done_rate += one.done_rate;
  sum.fish_rate += one.fish_rate;
  sum.vain_rate += one.vain_rate;
  sum.message_rate += one.message_rate;
  sum.byte_rate += one.byte_rate;
  sum.latency = std::max(sum.latency, one.latency);
}

std::vector<LinkLine> links_of(const trace::Table& table) {
  std::map<std::uint32_t, std::string> names;
  for (const auto& row : table.rows)
    if (row.has_pulse())
      names.try_emplace(row.cluster, profile::ascii(trace::text_of(row.pulse.cluster)));
  const auto name = [&](std::uint32_t cluster) {
    const auto known = names.find(cluster);
    return known == names.end() ? fmt::format("cluster {}", cluster) : known->second;
  };
  std::vector<LinkLine> links;
  for (const auto& link : table.links)
    links.push_back({name(link.one), name(link.other),
                     link.latency < 0 ? -1 : static_cast<double>(link.latency) * 1e-9,
                     static_cast<double>(link.bytes_a_second)});
  return links;
}

/// What is said of who is not there.
std::string note_absence(Sample& sample, Presence presence) {
  const auto note = [](int& count, const char* remark) {
    ++count;
    return remark;
  };
  switch (presence) {
    case Presence::here:
      return "";
    case Presence::to_come:
      return note(sample.to_come, "may still come");
    case Presence::lost:
      return note(sample.lost, "lost");
    case Presence::leaves:
      return note(sample.leaving, "is leaving");
    case Presence::left:
      return note(sample.left, "has left");
  }
  return "";
}

}  // namespace

void History::note(const trace::Table& table) {
  seen_.resize(table.rows.size());
  for (std::size_t pe = 0; pe < seen_.size(); ++pe) {
    const auto& row = table.rows[pe];
    auto& seen = seen_[pe];
    if (!row.has_pulse() || (seen.count > 0 && row.pulse.time == seen.now.time)) continue;
    seen.before = seen.now;
    seen.now = row.pulse;
    if (++seen.count > 1) continue;
    seen.before = {};  // the first time rates are those since the run began
    seen.before.time = row.pulse.time - row.heard;
  }
}

bool History::complete(const trace::Table& table) const {
  for (std::size_t pe = 0; pe < table.rows.size(); ++pe)
    if (table.rows[pe].presence == Presence::here && (pe >= seen_.size() || seen_[pe].count < 2))
      return false;
  return true;
}

Sample History::take(const trace::Table& table) {
  note(table);
  Sample sample;
  sample.head = table.head;
  sample.total.pes = 0;
  sample.links = links_of(table);
  for (std::size_t pe = 0; pe < table.rows.size(); ++pe) {
    const auto& row = table.rows[pe];
    const auto silent = trace::silence(table.head, row, table.head.time);
    Line line;
    line.name = std::to_string(pe);
    line.speed = row.speed;
    line.pace = static_cast<double>(row.pulse.pace) / 1000;
    if (row.latency >= 0) line.latency = static_cast<double>(row.latency) * 1e-9;
    if (row.has_pulse()) {
      set_figures(line, row.pulse);
      set_shares(line, seen_[pe].now, seen_[pe].before);
      set_rates(line, seen_[pe].now, seen_[pe].before);
    }
    if (row.presence != Presence::here) {
      line.remark = note_absence(sample, row.presence);
    } else if (silent > 0) {
      ++sample.silent;
      line.remark = fmt::format("silent for {:.0f} s", static_cast<double>(silent) * 1e-9);
    } else if (!row.has_pulse()) {
      line.remark = "has not answered yet";
    }
    if (line.remark.empty()) add(sample.total, line);
    sample.pes.push_back(std::move(line));
  }
  return sample;
}

std::vector<Line> Sample::by_cluster() const {
  std::vector<Line> clusters;
  std::map<std::string, std::size_t> place;
  for (const auto& line : pes) {
    if (!line.remark.empty()) continue;
    const auto [found, is_new] = place.try_emplace(line.cluster, clusters.size());
    if (is_new) {
      Line cluster;
      cluster.name = line.cluster;
      cluster.cluster = line.cluster;
      cluster.pes = 0;
      clusters.push_back(std::move(cluster));
    }
    add(clusters[found->second], line);
  }
  return clusters;
}

}  // namespace trawl::top
