#include "profiles/report/audit.hpp"

#include <algorithm>
#include <cmath>

#include "rts/fabric/kinds.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr auto schedule = static_cast<std::uint16_t>(fabric::Kind::schedule);
constexpr auto resume = static_cast<std::uint16_t>(fabric::Kind::resume);

}  // namespace

void Lengths::add(double length) {
  const double value = std::log(std::max(length, 1.0));
  ++number;
  sum += value;
  squares += value * value;
}

double Lengths::standard_error() const {
  if (number < 2) return 0;
  const auto count = static_cast<double>(number);
  return std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1) / count);
}

FunctionAudit& Audit::at(std::uint32_t code) {
  auto& function = functions_[code];
  function.code = code;
  return function;
}

// A spark's packet is noted just before the spark is; one with several sparks is the first one's.
void Audit::see(const Event& event, const Threads& threads) {
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
      if (const auto* thread = threads.alone();
          event.extra == resume && thread != nullptr && thread->imported)
        at(thread->code).bytes_home += event.size;
      break;
    default:
      break;
  }
}

void Audit::see(int pe, const Slice& slice) {
  if (slice.end < from_ || slice.begin > to_) return;
  const auto within = [this](Nanos since, Nanos until) {
    return std::max<Nanos>(0, std::min(until, to_) - std::max(since, from_));
  };
  auto& function = at(slice.code);
  function.ran += static_cast<double>(within(slice.begin, slice.end));
  function.queued += static_cast<double>(within(slice.ready, slice.begin));
  const auto blocked = within(slice.blocked, slice.ready);
  function.blocked += static_cast<double>(blocked);
  if (slice.cause == Cause::resume) function.blocked_afar += static_cast<double>(blocked);
  function.longest_block = std::max(function.longest_block, blocked);
  if (slice.blocks) ++function.blocks;
  if (slice.finishes && slice.end <= to_) {
    function.lengths.add(static_cast<std::uint64_t>(slice.ran));
    function.by_pe[pe].add(static_cast<double>(slice.ran));
  }
  if (slice.ran > function.longest) {
    function.longest = slice.ran;
    function.longest_pe = pe;
  }
}

std::vector<FunctionAudit> Audit::result(const Run& run) const {
  std::vector<FunctionAudit> all;
  for (const auto& [code, function] : functions_) {
    all.push_back(function);
    all.back().name = code == root_code ? root_name
                      : code == unknown ? "not known"
                                        : name_of_code(run, code);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.ran > b.ran; });
  return all;
}

std::string short_name(const std::string& function) {
  static const std::string unnamed[] = {"{anonymous}::", "(anonymous namespace)::"};
  std::string plain = function;
  for (const auto& name : unnamed)
    for (auto at = plain.find(name); at != std::string::npos; at = plain.find(name))
      plain.erase(at, name.size());
  std::string result;
  int depth = 0;
  for (const char c : plain) {
    if (c == '(' && depth == 0 && !result.empty()) break;
    if (c == '<') ++depth;
    if (depth == 0) result += c;
    if (c == '>' && depth > 0) --depth;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result.empty() ? function : result;
}

}  // namespace trawl::profile
