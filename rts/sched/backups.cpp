#include "rts/sched/backups.hpp"

#include <algorithm>
#include <utility>

namespace trawl::sched {

Backups::Backups(const balance::Tables& tables, std::function<bool(const heap::Code&)> splits)
    : tables_(tables), splits_(std::move(splits)) {}

void Backups::note(heap::Node* spark, int holder, Nanos now) {
  forget_finished();
  sent_.push_back({spark, holder, now});
}

heap::Node* Backups::take(int runner, Nanos thread, Nanos now) {
  constexpr std::size_t most = 64;  // of many, those that are latest
  forget_finished();
  const auto end = sent_.begin() + static_cast<std::ptrdiff_t>(std::min(most, sent_.size()));
  const auto found = std::find_if(
      sent_.begin(), end, [&](const Sent& sent) { return pays(sent, runner, thread, now); });
  if (found == end) return nullptr;
  heap::Node* const spark = std::exchange(found->spark, nullptr);
  sent_.erase(found);
  return spark;
}

// It will take as long again as it has so far, nobody knows better; but at least what a thread
// takes here.
bool Backups::pays(const Sent& sent, int runner, Nanos thread, Nanos now) const {
  constexpr double clearly = 1.5;
  constexpr Nanos shortest = 2'000'000;
  const auto age = now - sent.since;
  if (age < shortest || sent.holder == runner || tables_.lost(sent.holder)) return false;
  if (sent.spark->state() != heap::State::exported || splits_(sent.spark->code())) return false;
  const double slow = tables_.speed_now(sent.holder);
  const double fast = tables_.speed_now(runner);
  if (slow <= 0 || fast < clearly * slow) return false;
  const double usual = static_cast<double>(thread) * tables_.speed_now(tables_.self());
  const double work = std::max(usual, 2 * static_cast<double>(age) * slow);
  return work / fast < work / slow - static_cast<double>(age);
}

// The oldest: those behind them are gone through in their turn.
void Backups::forget_finished() {
  while (!sent_.empty() && sent_.front().spark->state() != heap::State::exported) {
    sent_.front().spark = nullptr;  // the collector scans what a deque has been cleared of
    sent_.pop_front();
  }
}

}  // namespace trawl::sched
