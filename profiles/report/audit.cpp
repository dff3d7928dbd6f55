#include "profiles/report/audit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "profiles/report/names.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr auto schedule = static_cast<std::uint16_t>(fabric::Kind::schedule);

}  // namespace

void Lengths::add(double length) {
  const double value = std::log(std::max(length, 1.0));
  ++number;
  sum += value;
  squares += value * value;
  ++spread[static_cast<int>(std::lround(value / std::numbers::ln2 * columns))];
}

void Lengths::add(const Lengths& others, double log_speed) {
  const auto up = static_cast<int>(std::lround(log_speed / std::numbers::ln2 * columns));
  number += others.number;
  for (const auto& [column, count] : others.spread) spread[column + up] += count;
}

double Lengths::standard_error() const {
  if (number < 2) return 0;
  const auto count = static_cast<double>(number);
  return std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1) / count);
}

double Lengths::quantile(double share) const {
  auto shorter = static_cast<std::uint64_t>(share * static_cast<double>(number));
  for (const auto& [column, count] : spread) {
    if (shorter < count) return column * std::numbers::ln2 / columns;
    shorter -= count;
  }
  return 0;
}

double FunctionAudit::in_place() const {
  const auto all = sparks_made();
  return all <= 0 ? 0 : 1 - std::clamp(begun_once() / all, 0.0, 1.0);
}

FunctionAudit& Audit::at(std::uint32_t code) {
  auto& function = functions_[code];
  function.code = code;
  return function;
}

// A spark's packet is noted just before the spark is; one with several sparks is the first one's.
void Audit::see(const Event& event) {
  see_at_any_time(event);
  if (event.time < from_ || event.time > to_) return;
  switch (event.kind) {
    case Kind::spark_convert:
      ++(event.extra != 0 ? at(event.value).imported : at(event.value).converted);
      break;
    case Kind::spark_export:
      ++at(event.id).exported;
      if (last_schedule_.size != 0 && last_schedule_.value == event.value)
        at(event.id).bytes_out += last_schedule_.size;
      last_schedule_.size = 0;
      break;
    case Kind::message_sent:
      if (event.extra == schedule) last_schedule_ = event;
      break;
    case Kind::resume_received:
      if (event.id != trace::unknown_code) at(event.id).bytes_home += event.size;
      break;
    default:
      break;
  }
}

// Of the whole run: a thread says what it has made when it blocks or ends, which says little of a
// window.
void Audit::see_at_any_time(const Event& event) {
  if (event.kind == Kind::spark_convert) ++at(event.value).begun;
  if (event.kind == Kind::spark_again) ++at(event.value).again;
  if (event.kind == Kind::sparks_ignored) ignored_ += event.value;
  if (event.kind != Kind::spark_made) return;
  auto& function = at(event.value);
  function.sampled = true;
  const auto number = event.id + (static_cast<std::uint64_t>(event.size) << 32U);
  (event.extra != 0 ? function.calls : function.sparks) += static_cast<double>(number);
}

Nanos Audit::within(Nanos since, Nanos until) const {
  return std::max<Nanos>(0, std::min(until, to_) - std::max(since, from_));
}

// One that begins after the window may have been blocked, or have waited, in it.
void Audit::see(int pe, const Slice& slice) {
  if (std::exchange(pe_, pe) != pe) ran_.clear();
  if (slice.end < from_ || slice.blocked > to_) return;
  auto& function = at(slice.code);
  see_blocked(slice, function);
  const bool ran = slice.end > from_ || slice.begin == slice.end;
  if (ran && slice.begin <= to_) see_running(pe, slice, function);
}

void Audit::see_blocked(const Slice& slice, FunctionAudit& function) {
  function.queued += static_cast<double>(within(slice.ready, slice.begin));
  const auto blocked = within(slice.blocked, slice.ready);
  function.blocked += static_cast<double>(blocked);
  if (slice.cause == Cause::resume) function.blocked_afar += static_cast<double>(blocked);
  if (blocked > 0 && slice.waited_for != unknown)
    at(slice.waited_for).awaited += static_cast<double>(blocked);
  function.longest_block = std::max(function.longest_block, blocked);
  if (slice.blocked < from_ && slice.ready > from_) ++function.blocks;
}

void Audit::see_running(int pe, const Slice& slice, FunctionAudit& function) {
  const auto inside = within(slice.begin, slice.end);
  const auto before = ran_.find(slice.thread);
  const auto ran = inside + (before == ran_.end() ? 0 : before->second);
  if (before == ran_.end()) ++function.ran_threads;
  if (!slice.finishes)
    ran_[slice.thread] = ran;
  else if (before != ran_.end())
    ran_.erase(before);
  function.ran += static_cast<double>(inside);
  function.ran_on[pe] += static_cast<double>(inside);
  if (ran > function.longest) {
    function.longest = ran;
    function.longest_pe = pe;
  }
  if (slice.blocks && slice.end <= to_) ++function.blocks;
  // Of a slice that reaches beyond the window, its share.
  const double share =
      slice.length() > 0 ? static_cast<double>(inside) / static_cast<double>(slice.length()) : 1;
  function.made += static_cast<std::uint64_t>(std::llround(share * slice.made));
  if (slice.finishes && slice.end <= to_) function.by_pe[pe].add(static_cast<double>(slice.ran));
}

namespace {

/// That it has made so many sparks, of calls and others in proportion; they are of calls only if
/// some were seen.
void set_made(FunctionAudit& function, double number) {
  const double before = function.sparks_made();
  const double calls = before > 0 ? function.calls / before * number : 0;
  function.calls = calls;
  function.sparks = number - calls;
}

/// Of which function a spark is is known of some of them only. But of none there are fewer than
/// have been threads: what is lacking was taken for those of others, first for who has most to
/// spare.
void settle(std::vector<FunctionAudit>& functions) {
  const auto spare = [](const FunctionAudit& each) {
    return each.sparks_made() - each.begun_once();
  };
  double lacking = 0;
  for (auto& each : functions) {
    if (spare(each) >= 0) continue;
    lacking -= spare(each);
    set_made(each, each.begun_once());
  }
  while (lacking > 0) {
    const auto most = std::max_element(
        functions.begin(), functions.end(),
        [&](const auto& one, const auto& other) { return spare(one) < spare(other); });
    const double taken = std::min(lacking, spare(*most));
    if (taken <= 0) return;  // logs are lost
    set_made(*most, most->sparks_made() - taken);
    lacking -= taken;
  }
}

}  // namespace

std::vector<FunctionAudit> Audit::result(const Run& run) const {
  std::vector<FunctionAudit> all;
  for (const auto& [code, function] : functions_) {
    all.push_back(function);
    all.back().name = code == root_code ? root_name
                      : code == unknown ? "not known"
                                        : name_of_code(run, code);
    all.back().is_placed = code < run.placed.size() && run.placed[code];
  }
  settle(all);
  tell_apart(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.ran > b.ran; });
  return all;
}

}  // namespace trawl::profile
