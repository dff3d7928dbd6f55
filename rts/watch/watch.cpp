#include "rts/watch/watch.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace trawl::watch {
namespace {

// Of very many PEs, answers are not to take the main PE's time.
Nanos interval_for(int pes) noexcept {
  constexpr Nanos second = 1'000'000'000;
  constexpr Nanos for_each = 2'000'000;
  return std::max(second, for_each * pes);
}

}  // namespace

Watch::Watch(const Setup& setup, const balance::Tables& tables, fabric::Outbox& outbox,
             std::function<trace::Pulse()> own_pulse)
    : tables_(tables), outbox_(outbox), own_pulse_(std::move(own_pulse)) {
  if (tables.self() != 0) return;
  if (setup.shown) window_.emplace();
  if (setup.progress) progress_.emplace();
  if (!on()) return;
  auto& head = table_.head;
  head.interval = interval_for(tables.size());
  head.pid = getpid();
  trace::set_name(head.program, setup.program);
  trace::set_name(head.host, setup.host);
  table_.rows.resize(static_cast<std::size_t>(tables.size()));
}

// What was asked for comes until the next call, or later.
void Watch::look(Nanos time) {
  const bool looked_at = window_ && window_->looked_at();
  if (looked_at && news_) show(time, trace::Stage::runs);
  if ((looked_at || progress_) && time >= next_ask_) ask(time);
  if (progress_) progress_->look(time, table_);
}

void Watch::ask(Nanos time) {
  auto& [head, rows, links] = table_;
  if (time - next_ask_ > head.interval) {  // what is there is old
    head.since = time;
    for (auto& row : rows) row.heard = trace::Row::unheard;
  }
  next_ask_ = time + head.interval;
  on_pulse({own_pulse_()}, 0, time);
  for (const int pe : tables_.others()) fabric::send(outbox_, pe, Look());
}

void Watch::set_presence(int pe, trace::Presence presence) {
  if (!on()) return;
  table_.rows[static_cast<std::size_t>(pe)].presence = presence;
  news_ = true;
}

void Watch::on_look() {
  fabric::send(outbox_, 0, Pulse{own_pulse_()});
}

void Watch::on_pulse(const Pulse& message, int from, Nanos time) {
  if (!on()) return;
  auto& row = table_.rows[static_cast<std::size_t>(from)];
  row.heard = time;
  row.pulse = message.pulse;
  news_ = true;
}

void Watch::show(Nanos time, trace::Stage stage) {
  auto& [head, rows, links] = table_;
  news_ = false;
  ++head.number;
  head.time = time;
  head.stage = stage;
  for (std::size_t pe = 0; pe < rows.size(); ++pe) {
    const auto id = static_cast<int>(pe);
    auto& row = rows[pe];
    const auto& latency = tables_.latency_to(id);
    row.latency = pe == 0 ? 0 : latency.measured < 0 ? -1 : latency.one_way;
    row.cluster = tables_.cluster_of(id);
    row.speed = tables_.static_of(id).speed;
  }
  note_links();
  window_->show(trace::encode(table_));
}

// Of very many clusters, the first ones'.
void Watch::note_links() {
  constexpr std::uint32_t most_clusters = 64;
  table_.links.clear();
  const auto clusters = std::min(tables_.clusters(), most_clusters);
  for (std::uint32_t one = 0; one < clusters; ++one) {
    for (std::uint32_t other = one + 1; other < clusters; ++other) {
      const auto latency = tables_.latency_between(one, other);
      const auto bandwidth = tables_.links().between(one, other);
      if (latency.measured < 0 && bandwidth.measured < 0) continue;
      if (table_.links.size() == trace::most_links) return;
      table_.links.push_back({one, other, latency.measured < 0 ? -1 : latency.one_way,
                              bandwidth.measured < 0 ? 0 : bandwidth.bytes_a_second});
    }
  }
}

void Watch::end(Nanos time, const std::vector<std::optional<Statistics>>& statistics) {
  if (window_ && window_->looked_at()) show(time, trace::Stage::over);
  if (progress_) progress_->end(time, statistics);
}

}  // namespace trawl::watch
