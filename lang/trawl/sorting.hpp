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

/// Is it cheaper to copy an element than to foresee a branch wrongly?
template <class T>
inline constexpr bool is_small = heap::PointerFree<T>&& std::is_trivially_copyable_v<T> &&
                                 sizeof(T) <= 32;

/// One of them, without a branch, which g++ makes of `?:`.
template <class T>
const T* pick(bool second, const T* a, const T* b) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(a);
  const auto mask = std::uintptr_t{0} - std::uintptr_t{second};
  return reinterpret_cast<const T*>(from ^ ((from ^ reinterpret_cast<std::uintptr_t>(b)) & mask));
}

/// As std::merge. What is not small is moved.
template <class T, class Order>
void merge_two(std::span<T> a, std::span<T> b, T* to, const Order& order) {
  if constexpr (is_small<T>) {
    const T* first = a.data();
    const T* second = b.data();
    const T* const ends[] = {first + a.size(), second + b.size()};
    while (first != ends[0] && second != ends[1]) {
      const bool from_second = order(*second, *first);
      *to++ = *pick(from_second, first, second);
      second += from_second;
      first += !from_second;
    }
    std::copy(second, ends[1], std::copy(first, ends[0], to));
  } else {
    std::merge(std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()),
               std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()), to, order);
  }
}

/// Of runs in order, which lie behind each other and end at `ends`, one. `room` is as large; what
/// is in it does not matter.
template <class T, class Order>
void merge_by_pairs(std::span<T> elements, std::vector<std::size_t> ends, std::span<T> room,
                    const Order& order) {
  auto from = elements;
  auto to = room;
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const auto middle = ends[i];
      const auto end = ends[std::min(i + 1, ends.size() - 1)];
      merge_two(from.subspan(begin, middle - begin), from.subspan(middle, end - middle),
                to.data() + begin, order);
      merged.push_back(begin = end);
    }
    ends = std::move(merged);
    std::swap(from, to);
  }
  if (from.data() != elements.data()) std::move(from.begin(), from.end(), elements.begin());
}

/// Small elements, stably: a few by insertion, and these runs are merged.
template <class T, class Order>
void sort_small(std::span<T> elements, const Order& order) {
  constexpr std::size_t by_insertion = 16;
  std::vector<std::size_t> ends;
  for (std::size_t begin = 0; begin < elements.size(); begin = ends.back()) {
    const auto run = elements.subspan(begin, std::min(by_insertion, elements.size() - begin));
    for (std::size_t i = 1; i < run.size(); ++i) {
      const T x = run[i];
      auto at = i;
      for (; at > 0 && order(x, run[at - 1]); --at) run[at] = run[at - 1];
      run[at] = x;
    }
    ends.push_back(begin + run.size());
  }
  auto room = room_for<T>(elements.size());
  merge_by_pairs(elements, std::move(ends), std::span<T>(room), order);
}

/// Stably, by comparing.
template <class T, class Order>
void sort_by_order(std::span<T> elements, const Order& order) {
  if constexpr (is_small<T>)
    sort_small(elements, order);
  else
    std::stable_sort(elements.begin(), elements.end(), order);
}

/// Below this, comparing is as fast.
inline constexpr std::size_t few = 128;

/// Stably.
template <class T, class Order>
void sort_run(std::span<T> elements, const Order& order) {
  if constexpr (HasBits<Order, T>) {
    if (elements.size() < few || elements.size() > UINT32_MAX) {
      sort_by_order(elements, order);
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
    sort_by_order(elements, order);
  }
}

/// Of runs in order, which lie behind each other and end at `ends`, one. `room` is as large; what
/// is in it does not matter, and where order is that of numbers it may be empty.
template <class T, class Order>
void merge_runs(std::span<T> elements, std::span<const std::size_t> ends, std::span<T> room,
                const Order& order) {
  if constexpr (HasBits<Order, T>) {
    if (ends.size() > 1) sort_run(elements, order);
  } else {
    merge_by_pairs(elements, {ends.begin(), ends.end()}, room, order);
  }
}

}  // namespace trawl::detail
