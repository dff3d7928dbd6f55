#include "rts/balance/links.hpp"

#include <algorithm>
#include <utility>

namespace trawl::balance {
namespace {

constexpr Nanos fastest_window = 10'000'000'000;
constexpr Nanos believed = 60'000'000'000;
constexpr Bandwidth unknown_bandwidth;

std::int64_t rate_of(std::size_t bytes, Nanos took) {
  constexpr double second = 1e9;
  const auto rate = static_cast<double>(bytes) * second / static_cast<double>(took);
  return static_cast<std::int64_t>(std::clamp(rate, 1.0, static_cast<double>(Bandwidth::most)));
}

}  // namespace

Nanos Bandwidth::carrying(std::size_t bytes) const noexcept {
  constexpr double second = 1e9, at_most = 1e18;
  if (measured < 0) return 0;
  return static_cast<Nanos>(
      std::min(static_cast<double>(bytes) * second / static_cast<double>(bytes_a_second), at_most));
}

// A link carries what a message had at least, its latency included. Where that says little, a long
// one tells: by how much longer it was, and took, than the fastest of late. (Of short ones that
// were late nobody can tell a thin link from one whose latency changes, or which others have
// filled.) Others' messages can only make it look thinner; but where it was the shorter one that
// they held up, up to eight times as wide.
void Links::note_transfer(std::uint32_t from, std::size_t bytes, Nanos took, Nanos arrived) {
  constexpr std::size_t longer = 48, is_long = 1024;
  constexpr std::int64_t good = 20'000;
  constexpr Nanos clearly = 8;
  if (took <= 0) return;
  auto* heard = fastest_.find(from);
  if (heard == nullptr) heard = fastest_.add(from, {bytes, took, arrived});
  if (heard == nullptr || arrived - took < heard->busy_until) return;
  if (bytes >= is_long) heard->busy_until = arrived;
  if (rate_of(bytes, took) >= good) {
    note_measured(from, rate_of(bytes, took), arrived, *heard);
  } else if (bytes >= heard->bytes + is_long) {
    const auto later = std::max(took - heard->took, took / clearly + 1);
    if (later > heard->restless)
      note_measured(from, rate_of(bytes - heard->bytes, later), arrived, *heard);
  }
  if (bytes < heard->bytes + longer)
    heard->restless = std::max(took - heard->took, heard->restless - heard->restless / 8);
  if (took < heard->took || arrived - heard->arrived > fastest_window) {
    heard->bytes = bytes;
    heard->took = took;
    heard->arrived = arrived;
    heard->restless = 0;
  }
}

void Links::note_measured(std::uint32_t from, std::int64_t rate, Nanos measured, Fastest& heard) {
  if (measured < 0) return;
  if (rows_.find(key_of(from, own_)) == nullptr) heard.is_told = false;
  note({from, own_, {rate, measured}});
}

std::optional<Link> Links::news_for(std::uint32_t cluster) noexcept {
  auto* heard = fastest_.find(cluster);
  if (heard == nullptr || std::exchange(heard->is_told, true)) return std::nullopt;
  const auto* row = rows_.find(key_of(cluster, own_));
  return row == nullptr ? std::nullopt : std::optional(*row);
}

// What waited for others' messages says that the link is slower than it is.
void Links::note(const Link& row) {
  const auto key = key_of(row.from, row.to);
  auto* known = rows_.find(key);
  if (known == nullptr) {
    known = rows_.add(key, row);
    if (known == nullptr) return;
  } else {
    auto& [rate, measured] = known->bandwidth;
    if (row.when() < measured) {
      if (row.bandwidth.bytes_a_second <= rate || row.when() < measured - believed) return;
      rate = row.bandwidth.bytes_a_second;
    } else if (row.bandwidth.bytes_a_second >= rate / 2) {
      rate = std::max(rate, row.bandwidth.bytes_a_second);
      measured = row.when();
    } else if (row.when() > measured + believed) {
      known->bandwidth = row.bandwidth;
    }
  }
  if (row.from != own_ && row.to != own_) return;
  if (key == widest_link_ || known->bandwidth.bytes_a_second > widest_) {
    widest_link_ = key;
    widest_ = known->bandwidth.bytes_a_second;
  }
}

Bandwidth Links::between(std::uint32_t one, std::uint32_t other) const noexcept {
  const auto* there = rows_.find(key_of(one, other));
  const auto* back = rows_.find(key_of(other, one));
  if (there == nullptr || back == nullptr)
    return there != nullptr  ? there->bandwidth
           : back != nullptr ? back->bandwidth
                             : unknown_bandwidth;
  const bool less = there->bandwidth.bytes_a_second < back->bandwidth.bytes_a_second;
  return less ? there->bandwidth : back->bandwidth;
}

}  // namespace trawl::balance
