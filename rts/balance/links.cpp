#include "rts/balance/links.hpp"

#include <algorithm>

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

// A link carries what a message had at least, its latency included. Where that says little: by how
// much longer it was, and took, than the fastest of late. That a link is slow takes several that
// were late, one that was very late, or a long one; while they are not, it is as good as any. As
// late as short ones are says nothing: that is a latency that changes; and who was not late shows
// what the link carries at least.
void Links::note_transfer(std::uint32_t from, std::size_t bytes, Nanos took, Nanos arrived) {
  constexpr std::size_t longer = 48, is_long = 1024;
  constexpr unsigned several = 3;
  constexpr Nanos clear = 20'000'000;
  constexpr std::int64_t good = 20'000, as_any = 100'000;
  if (took <= 0) return;
  const Fastest own{bytes, took, arrived};
  auto* fastest = fastest_.find(from);
  if (rate_of(bytes, took) >= good) {
    note_bandwidth(from, bytes, took, arrived);
  } else if (fastest != nullptr && bytes >= fastest->bytes + longer) {
    const auto later = std::max<Nanos>(took - fastest->took - fastest->restless, 0);
    const bool late = later > took / 8;
    fastest->late = late ? fastest->late + 1 : 0;
    const bool very_late = later > std::max(clear, took / 4);
    const bool known = rows_.find(key_of(from, own_)) != nullptr;
    if (bytes >= is_long || very_late || fastest->late >= several || (known && !late))
      note_bandwidth(from, bytes - fastest->bytes, std::max(later, took / 32 + 1), arrived);
    else if (!late)
      note({from, own_, {as_any, arrived}});
  }
  if (fastest != nullptr && bytes < fastest->bytes + longer)
    fastest->restless = std::max(took - fastest->took, fastest->restless - fastest->restless / 8);
  if (fastest == nullptr)
    fastest_.add(from, own);
  else if (took < fastest->took || arrived - fastest->arrived > fastest_window)
    *fastest = own;
}

void Links::note_bandwidth(std::uint32_t from, std::size_t bytes, Nanos took, Nanos measured) {
  if (measured >= 0) note({from, own_, {rate_of(bytes, took), measured}});
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
