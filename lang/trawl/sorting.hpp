// What sorting is made of, inside of one PE: runs that are put in order, and runs that are merged.
// Stable. Where order is that of numbers, both by their bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/inline/memory.hpp>
#include <trawl/inline/traits.hpp>

namespace trawl::detail {

/// Numbers up to 8 bytes: what `bits_of` knows.
template <class K>
concept Number = std::is_arithmetic_v<K> && sizeof(K) <= 8;

/// Unsigned numbers in the order of `x`. 0.0 and -0.0 are the same, as they are to `<`.
template <Number K>
constexpr auto bits_of(K x) {
  if constexpr (std::is_same_v<K, bool>) {
    return static_cast<std::uint8_t>(x);
  } else if constexpr (std::is_floating_point_v<K>) {
    using Bits = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(K) - 1);
    const auto bits = std::bit_cast<Bits>(x + K{0});
    return static_cast<Bits>((bits & sign) != 0 ? ~bits : bits | sign);
  } else {
    using Bits = std::make_unsigned_t<K>;
    constexpr auto sign =
        static_cast<Bits>(std::is_signed_v<K> ? Bits{1} << (8 * sizeof(K) - 1) : 0);
    return static_cast<Bits>(static_cast<Bits>(x) ^ sign);
  }
}

/// An order is called with two elements: does the first come before the other? If there are numbers
/// that say the same, it has `bits`.
template <class Order, class T>
concept HasBits = heap::PointerFree<T> && std::is_trivially_copyable_v<T> &&
    requires(const Order& order, const T& x) {
  { order.bits(x) } -> std::unsigned_integral;
};

/// Elements that are written before they are read: making them by default costs nothing.
template <class T>
struct NotMadeYet : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = NotMadeYet<U>;
  };
  void construct(T*) noexcept {}
};

/// Room for elements that are copied as bytes, at which the collector does not look.
template <class T>
std::vector<T, NotMadeYet<T>> room_for(std::size_t count) {
  const heap::StorageScope scope(heap::Storage::owned_plain);
  return std::vector<T, NotMadeYet<T>>(count);
}

/// By one byte of their bits after the other, the last first (a radix sort). `room` is as large;
/// what is in it does not matter.
template <class T, class Bits>
void sort_by_bits(std::span<T> elements, std::span<T> room, Bits bits) {
  using Unsigned = decltype(bits(elements[0]));
  constexpr std::size_t values = 256;
  std::array<std::array<std::size_t, values>, sizeof(Unsigned)> counts{};
  for (const T& x : elements) {
    auto rest = std::uint64_t{bits(x)};
    for (auto& of_byte : counts) {
      ++of_byte[rest % values];
      rest /= values;
    }
  }
  auto from = elements;
  auto to = room;
  for (std::size_t byte = 0; byte < sizeof(Unsigned); ++byte) {
    auto& ends = counts[byte];
    const auto value = [&](const T& x) { return (std::uint64_t{bits(x)} >> (8 * byte)) % values; };
    if (elements.empty() || ends[value(elements[0])] == elements.size()) continue;  // all the same
    std::size_t begin = 0;
    for (auto& each : ends) begin += std::exchange(each, begin);
    for (const T& x : from) to[ends[value(x)]++] = x;
    std::swap(from, to);
  }
  if (from.data() != elements.data()) std::copy(from.begin(), from.end(), elements.begin());
}

/// As below, once for all orders: a compiler takes a quarter of a second for each sort.
inline void sort_places(std::span<std::size_t> places, const void* less,
                        bool (*call)(const void*, std::size_t, std::size_t)) {
  std::stable_sort(places.begin(), places.end(),
                   [=](std::size_t a, std::size_t b) { return call(less, a, b); });
}

/// Few elements, by where they are. `less` is called with two places.
template <class Less>
void sort_places(std::span<std::size_t> places, const Less& less) {
  sort_places(places, &less, [](const void* order, std::size_t a, std::size_t b) -> bool {
    return (*static_cast<const Less*>(order))(a, b);
  });
}

/// Of large elements only what they are sorted by goes to and fro.
template <class Bits>
struct KeyAt {
  Bits bits;
  std::uint32_t at;
};

/// Below this, comparing is as fast.
inline constexpr std::size_t few = 128;

/// Stably.
template <class T, class Order>
void sort_run(std::span<T> elements, const Order& order) {
  if constexpr (HasBits<Order, T>) {
    if (elements.size() < few || elements.size() > UINT32_MAX) {
      std::stable_sort(elements.begin(), elements.end(), order);
    } else if constexpr (sizeof(T) <= 16) {
      auto room = room_for<T>(elements.size());
      sort_by_bits(elements, std::span(room), [&](const T& x) { return order.bits(x); });
    } else {
      auto keys = room_for<KeyAt<decltype(order.bits(elements[0]))>>(elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i)
        keys[i] = {order.bits(elements[i]), static_cast<std::uint32_t>(i)};
      auto its_room = room_for<typename decltype(keys)::value_type>(keys.size());
      sort_by_bits(std::span(keys), std::span(its_room), [](const auto& key) { return key.bits; });
      auto unsorted = room_for<T>(elements.size());
      std::copy(elements.begin(), elements.end(), unsorted.begin());
      for (std::size_t i = 0; i < keys.size(); ++i) elements[i] = unsorted[keys[i].at];
    }
  } else {
    std::stable_sort(elements.begin(), elements.end(), order);
  }
}

/// Of runs in order, which lie behind each other and end at `ends`, one. `room` is as large; what
/// is in it does not matter, and where order is that of numbers it may be empty.
template <class T, class Order>
void merge_runs(std::span<T> elements, std::span<const std::size_t> ends, std::span<T> room,
                const Order& order) {
  if constexpr (HasBits<Order, T>) {
    if (ends.size() > 1) sort_run(elements, order);
    return;
  }
  std::vector<std::size_t> from_ends(ends.begin(), ends.end());
  auto from = elements;
  auto to = room;
  while (from_ends.size() > 1) {
    std::vector<std::size_t> to_ends;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < from_ends.size(); i += 2) {
      const auto at = [&](std::size_t place) {
        return std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(place));
      };
      const auto middle = from_ends[i];
      const auto end = from_ends[std::min(i + 1, from_ends.size() - 1)];
      std::merge(at(begin), at(middle), at(middle), at(end),
                 to.begin() + static_cast<std::ptrdiff_t>(begin), order);
      to_ends.push_back(begin = end);
    }
    from_ends = std::move(to_ends);
    std::swap(from, to);
  }
  if (from.data() != elements.data()) std::move(from.begin(), from.end(), elements.begin());
}

}  // namespace trawl::detail
