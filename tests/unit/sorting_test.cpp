// What sorting is made of: by bits or by comparing, stable, the same as the standard library's.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/sorting.hpp>

namespace {

using namespace trawl::detail;

/// Elements of two sizes, sorted by `key`; `id` tells those of one key apart.
template <class K, std::size_t more>
struct Element {
  K key{};
  std::uint32_t id = 0;
  std::array<char, more> rest{};

  friend bool operator==(const Element& a, const Element& b) {
    return a.id == b.id && a.rest == b.rest;
  }
};

struct ByKey {
  template <class E>
  bool operator()(const E& a, const E& b) const {
    return a.key < b.key;
  }
  template <class E>
  requires(Number<decltype(E::key)>) auto bits(const E& x) const { return bits_of(x.key); }
};

struct Compared {
  template <class E>
  bool operator()(const E& a, const E& b) const {
    return a.key < b.key;
  }
};

/// Of all kinds, with many that are equal.
template <class K>
K key(std::mt19937_64& random) {
  if constexpr (std::is_same_v<K, std::string>) {
    return std::to_string(random() % 1000);
  } else if constexpr (std::is_floating_point_v<K>) {
    using Limits = std::numeric_limits<K>;
    constexpr K special[] = {0,
                             -K{0},
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::max(),
                             Limits::lowest(),
                             Limits::denorm_min(),
                             -Limits::denorm_min()};
    return random() % 2 == 0 ? special[random() % 8]
                             : static_cast<K>(std::ldexp(static_cast<double>(random() % 100) - 50,
                                                         static_cast<int>(random() % 100) - 50));
  } else {
    return static_cast<K>(random() % 2 == 0 ? random() : random() % 7);
  }
}

template <class K, std::size_t more, class Order>
void expect_sorted_and_merged() {
  using E = Element<K, more>;
  std::mt19937_64 random(sizeof(E));
  for (const std::size_t n : {0U, 1U, 2U, 15U, 16U, 17U, 127U, 128U, 129U, 5000U}) {
    std::vector<E> elements(n);
    for (std::size_t i = 0; i < n; ++i)
      elements[i] = {key<K>(random), static_cast<std::uint32_t>(i), {}};
    auto expected = elements;
    std::stable_sort(expected.begin(), expected.end(), Order());
    auto sorted = elements;
    sort_run(std::span(sorted), Order());
    EXPECT_EQ(sorted, expected) << n;
    for (const std::size_t runs : {8U, 5U, 3U, 2U, 1U}) {
      std::vector<std::size_t> ends;
      for (std::size_t i = 0; i < runs; ++i) {
        const auto begin = n * i / runs;
        ends.push_back(n * (i + 1) / runs);
        std::stable_sort(elements.begin() + static_cast<std::ptrdiff_t>(begin),
                         elements.begin() + static_cast<std::ptrdiff_t>(ends.back()), Order());
      }
      auto merged = elements;
      std::vector<E> room(n);
      merge_runs(std::span(merged), std::span<const std::size_t>(ends), std::span(room), Order());
      EXPECT_EQ(merged, expected) << n << " in " << runs;
    }
  }
}

template <class K>
class Sorting : public testing::Test {};

using Keys = testing::Types<bool, signed char, std::uint16_t, std::int32_t, std::uint64_t,
                            std::int64_t, float, double, std::string>;
TYPED_TEST_SUITE(Sorting, Keys);

TYPED_TEST(Sorting, IsStableSort) {
  expect_sorted_and_merged<TypeParam, 1, ByKey>();
  expect_sorted_and_merged<TypeParam, 90, ByKey>();
  expect_sorted_and_merged<TypeParam, 1, Compared>();
  expect_sorted_and_merged<TypeParam, 90, Compared>();
}

TEST(SortingKinds, GoesByBitsWhereThereAreSome) {
  static_assert(HasBits<ByKey, Element<double, 1>>);
  static_assert(!HasBits<ByKey, Element<std::string, 1>>);
  static_assert(!HasBits<std::less<>, int>);
  static_assert(!HasBits<Compared, Element<int, 1>>);
  static_assert(is_small<Element<int, 1>> && !is_small<Element<int, 90>>);
  static_assert(!is_small<Element<std::string, 1>>);
}

}  // namespace
