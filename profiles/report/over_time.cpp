#include "profiles/report/over_time.hpp"

#include <algorithm>

namespace trawl::profile {

std::size_t OverTime::part_of(Nanos time) const {
  const auto part = static_cast<double>(time - from_) / length();
  return std::min(parts - 1, static_cast<std::size_t>(std::max(part, 0.0)));
}

void OverTime::see(const trace::Event& event) {
  if (event.time < from_ || event.time > to_) return;
  const auto part = part_of(event.time);
  if (event.kind == trace::Kind::spark_convert)
    ++(event.extra != 0 ? imported_ : converted_)[part];
  else if (event.kind == trace::Kind::spark_export)
    ++exported_[part];
}

void OverTime::see(const Slice& slice) {
  const auto begin = std::max(slice.begin, from_);
  const auto end = std::min(slice.end, to_);
  if (begin >= end) return;
  auto& ran = ran_[slice.code];
  const auto last = part_of(end);
  for (auto part = part_of(begin); part <= last; ++part) {
    const double since = static_cast<double>(from_) + static_cast<double>(part) * length();
    const double until = since + length();
    const double within = std::max(0.0, std::min(until, static_cast<double>(end)) -
                                            std::max(since, static_cast<double>(begin)));
    ran[part] += within;
    made_[part] += slice.made * within / static_cast<double>(slice.length());
  }
}

}  // namespace trawl::profile
