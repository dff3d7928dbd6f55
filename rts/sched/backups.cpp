#include "rts/sched/backups.hpp"

#include <algorithm>
#include <utility>

namespace trawl::sched {

Backups::Backups(const balance::Tables& tables, std::function<bool(const heap::Code&)> splits)
    : tables_(tables), splits_(std::move(splits)) {}

void Backups::note(heap::Node* spark, int holder, Nanos now) {
  constexpr std::size_t most = 1024;
  // So they are never many more than live.
  if (sent_.size() == sent_.capacity()) forget_finished(now);
  if (sent_.size() < most) sent_.push_back({spark, holder, now});
}

// Elsewhere may be sparks that nobody has begun with. To ask one cluster after the other takes a
// round trip each.
Nanos Backups::asking_all() const {
  constexpr std::uint32_t most = 32;
  const auto own = tables_.own_cluster();
  Nanos sum = 0;
  for (std::uint32_t cluster = 0; cluster < std::min(tables_.clusters(), most); ++cluster) {
    const auto latency = tables_.latency_between(own, cluster);
    if (cluster != own && latency.measured >= 0) sum += 2 * latency.one_way;
  }
  return sum;
}

heap::Node* Backups::take(int runner, Nanos hungry, Nanos thread, Nanos now) {
  forget_finished(now);
  if (sent_.empty()) return nullptr;
  const bool asked_all = hungry >= asking_all();
  const auto found = std::find_if(sent_.begin(), sent_.end(), [&](const Sent& sent) {
    return pays(sent, runner, asked_all, thread, now);
  });
  return found == sent_.end() ? nullptr : std::exchange(found->spark, nullptr);
}

// It will take as long again as it has so far, nobody knows better; but at least what a thread
// takes here.
bool Backups::pays(const Sent& sent, int runner, bool asked_all, Nanos thread, Nanos now) const {
  constexpr double clearly = 1.5;
  constexpr Nanos shortest = 2'000'000;
  const auto age = now - sent.since;
  if (sent.spark == nullptr || age < shortest || sent.holder == runner || tables_.lost(sent.holder))
    return false;
  const bool on_a_link = tables_.is_far(sent.holder) && !tables_.is_far(runner);
  if (!asked_all && !on_a_link) return false;
  if (splits_(sent.spark->code())) return false;
  const double slow = tables_.speed_now(sent.holder);
  const double fast = tables_.speed_now(runner);
  const double usual = static_cast<double>(thread) * tables_.speed_now(tables_.self());
  if (slow <= 0) return false;
  if (on_a_link && is_overdue(sent.holder, work_lately(sent.spark->code(), usual) / slow, age))
    return true;
  if (!asked_all || fast < clearly * slow) return false;
  const double work = std::max(usual, 2 * static_cast<double>(age) * slow);
  return work / fast < work / slow - static_cast<double>(age);
}

// It may wait for a link, going there or coming home, which one from near by need not: all those
// that are away take a quarter as long over it as their making does, which others' may, too. (What
// is known of a link is what it has carried, at least: of short ones nothing can be said.) A way
// that is longer than the making counts as long as that, and is not asked over first: where values
// fill a link, what is known as its latency is how long short messages have waited behind them.
bool Backups::is_overdue(int holder, double expected, Nanos age) const {
  constexpr std::size_t large = 4096;
  if (static_cast<double>(age) <= 2 * expected) return false;
  const auto own = tables_.own_cluster();
  const auto its = tables_.cluster_of(holder);
  const auto way = tables_.latency_between(own, its);
  const auto link = tables_.links().between(its, own);
  const auto bytes = tables_.mean_spark() + tables_.mean_value();
  if (way.measured < 0 || link.measured < 0 || bytes < large || expected <= 0) return false;
  const auto carrying = 1e9 * static_cast<double>(bytes) * static_cast<double>(sent_.size()) /
                        static_cast<double>(link.bytes_a_second);
  const auto ways = 2 * std::min(static_cast<double>(way.one_way), expected);
  return 4 * carrying > expected && static_cast<double>(age) > 2 * (expected + ways);
}

// A program's next sparks may be much shorter than those before: the mean of threads knows late.
// Short ones come home first: so what is still near by counts as well.
double Backups::work_lately(const heap::Code& of, double usual) const {
  return &of == lately_of_ ? std::min(usual, std::max(lately_, longest_yet_)) : usual;
}

// It may have come some time ago.
void Backups::note_finished(const Sent& sent, Nanos now) {
  constexpr double weight = 0.25;
  const auto* const code = &sent.spark->code();
  lately_ += (code == lately_of_ ? weight : 1) * (work_of(sent, now) - lately_);
  lately_of_ = code;
}

double Backups::work_of(const Sent& sent, Nanos now) const {
  return static_cast<double>(now - sent.since) * tables_.speed_now(sent.holder);
}

void Backups::forget_finished(Nanos now) {
  for (const auto& each : sent_)
    if (each.spark != nullptr && each.spark->state() == heap::State::value &&
        !tables_.is_far(each.holder))
      note_finished(each, now);
  const auto end = std::remove_if(sent_.begin(), sent_.end(), [](const Sent& sent) {
    return sent.spark == nullptr || sent.spark->state() != heap::State::exported;
  });
  // The collector scans what a vector has been cleared of.
  for (auto each = end; each != sent_.end(); ++each) each->spark = nullptr;
  sent_.erase(end, sent_.end());
  longest_yet_ = 0;
  for (const auto& each : sent_)
    if (&each.spark->code() == lately_of_ && !tables_.is_far(each.holder))
      longest_yet_ = std::max(longest_yet_, work_of(each, now));
}

}  // namespace trawl::sched
