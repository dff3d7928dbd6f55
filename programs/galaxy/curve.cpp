#include "programs/galaxy/curve.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace galaxy {
namespace {

// Each bit gets a zero before it.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 16U) & 0x0000ffff0000ffffU;
  bits = (bits | bits << 8U) & 0x00ff00ff00ff00ffU;
  bits = (bits | bits << 4U) & 0x0f0f0f0f0f0f0f0fU;
  bits = (bits | bits << 2U) & 0x3333333333333333U;
  return (bits | bits << 1U) & 0x5555555555555555U;
}

std::uint64_t cell(double from_low, double side) {
  constexpr double cells = 1U << levels;
  return static_cast<std::uint64_t>(std::clamp(from_low / side * cells, 0.0, cells - 1));
}

// Least significant digit first.
void radix_sort(programs::Plain<Keyed>& items) {
  constexpr unsigned bits = 11;
  constexpr std::size_t buckets = std::size_t{1} << bits;
  constexpr unsigned passes = 2 * levels / bits;
  static_assert(passes * bits == 2 * levels);
  std::array<std::array<std::uint32_t, buckets>, passes> counts{};
  const auto digit = [](const Keyed& item, unsigned pass) {
    return static_cast<std::size_t>(item.key >> (pass * bits)) % buckets;
  };
  for (const auto& item : items)
    for (unsigned pass = 0; pass < passes; ++pass) ++counts[pass][digit(item, pass)];
  programs::Plain<Keyed> other(items.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::uint32_t sum = 0;
    for (auto& count : counts[pass]) sum += std::exchange(count, sum);
    for (const auto& item : items) other[counts[pass][digit(item, pass)]++] = item;
    items.swap(other);
  }
}

}  // namespace

Square::Square(const Box& box) : x(box.low.x), y(box.low.y) {
  const double longer = std::max(box.high.x - box.low.x, box.high.y - box.low.y);
  side = longer > 0 ? longer : 1;
}

std::uint64_t key(Place p, const Square& square) {
  return spread(cell(p.x - square.x, square.side)) << 1U |
         spread(cell(p.y - square.y, square.side));
}

programs::Plain<Keyed> along_curve(std::span<const Place> places, const Square& square) {
  programs::Plain<Keyed> order(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    order[i] = {key(places[i], square), static_cast<std::uint32_t>(i)};
  radix_sort(order);
  return order;
}

}  // namespace galaxy
