#include "rts/watch/progress_lines.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/host/terminal.hpp"

namespace trawl::watch {
namespace {

constexpr Nanos first_line = 2'000'000'000;
constexpr Nanos most_between = 60'000'000'000;

double seconds(Nanos time) {
  return static_cast<double>(time) * 1e-9;
}

/// 52,300
std::string grouped(std::uint64_t number) {
  auto text = fmt::format("{}", number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
}

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now - std::min(now, before);
}

/// The figures of one PE.
void add(Progress& sum, const trace::Pulse& pulse, bool silent) {
  sum.workers += pulse.workers;
  if (!silent) sum.busy += std::min(pulse.busy, pulse.workers);
  sum.sparks += pulse.sparks;
  sum.done += pulse.done();
  sum.threads += pulse.threads_created;
  sum.heap += pulse.heap_used;
}

}  // namespace

Progress ProgressHistory::take(const trace::Table& table, Nanos time) {
  seen_.resize(table.rows.size());
  Progress sum;
  std::uint64_t compared = 0;  // workers
  for (std::size_t pe = 0; pe < seen_.size(); ++pe) {
    const auto& row = table.rows[pe];
    if (row.presence != trace::Presence::here) continue;
    ++sum.pes;
    const bool silent = trace::silence(table.head, row, time) > 0;
    sum.silent += silent ? 1 : 0;
    if (!row.has_pulse()) continue;
    const auto& pulse = row.pulse;
    add(sum, pulse, silent);
    const Seen now{pulse.time, pulse.done(), pulse.life(), pulse.idle};
    const auto before = seen_[pe].value_or(Seen{pulse.time - row.heard, 0, 0, 0});
    seen_[pe] = now;
    if (now.time <= before.time) continue;  // nothing new
    sum.rate += static_cast<double>(since(now.done, before.done)) / seconds(now.time - before.time);
    sum.idle += pulse.workers * share(since(now.idle, before.idle), since(now.life, before.life));
    compared += pulse.workers;
  }
  if (compared > 0) sum.idle /= static_cast<double>(compared);
  return sum;
}

std::string progress_line(const Progress& now, Nanos time) {
  return fmt::format(
      "trawl: {:.0f} s: {} PE{}, {} of {} workers busy, idle {:.1f} %; {} sparks wait, {} done "
      "({}/s), {} threads; heap {:.0f} MB{}",
      seconds(time), now.pes, now.pes == 1 ? "" : "s", now.busy, now.workers, 100 * now.idle,
      grouped(now.sparks), grouped(now.done),
      grouped(static_cast<std::uint64_t>(std::llround(now.rate))), grouped(now.threads),
      static_cast<double>(now.heap) * 1e-6,
      now.silent == 0 ? "" : fmt::format("; {} silent", now.silent));
}

ProgressLines::ProgressLines()
    : in_place_(lines_can_be_written_over(STDERR_FILENO) && isatty(STDOUT_FILENO) == 0),
      next_(first_line) {}

// When the main PE stood still it asks all again, and nobody's figures are there yet.
void ProgressLines::look(Nanos time, const trace::Table& table) {
  const bool answered = time - table.head.since >= table.head.interval;
  if (time < next_ || !answered) return;
  say_line(progress_line(history_.take(table, time), time), false);
  // Of very many PEs figures come less often.
  const auto between = in_place_ ? first_line : std::clamp(time, first_line, most_between);
  next_ = time + std::max(between, table.head.interval);
  said_ = true;
}

void ProgressLines::end(Nanos time, const std::vector<std::optional<Statistics>>& statistics) {
  if (!said_) return;
  std::uint64_t done = 0, threads = 0, life = 0, idle = 0;
  for (const auto& of_pe : statistics) {
    if (!of_pe) continue;
    const auto count = [&](Count what) { return (*of_pe)[static_cast<std::size_t>(what)]; };
    done += count(Count::sparks_converted) + count(Count::sparks_subsumed) +
            count(Count::sparks_fizzled);
    threads += count(Count::threads_created);
    for (const auto& times : of_pe->workers) {
      life += times.mutator + times.collector + times.communication + times.idle;
      idle += times.idle;
    }
  }
  auto line = fmt::format("trawl: {:.1f} s: ended", seconds(time));
  if (!statistics.empty())
    line += fmt::format("; {} sparks done, {} threads; idle {:.1f} %", grouped(done),
                        grouped(threads), 100 * share(idle, life));
  say_line(line, true);
}

// A line that is longer than the terminal is wide could not be written over.
void ProgressLines::say_line(const std::string& line, bool last) {
  if (!in_place_) {
    say(line + "\n");
    return;
  }
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  const auto width = known ? size.ws_col : usual;
  say("\r\033[K" + line.substr(0, width - 1) + (last ? "\n" : ""));
}

}  // namespace trawl::watch
