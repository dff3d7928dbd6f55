// Long arrays of numbers become values as they are.
#include <algorithm>
#include <span>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/lang_grid.hpp"

namespace trawl {
namespace {

using Numbers = std::vector<double>;
constexpr std::size_t many = 20'000;

struct Labelled {
  Lazy<Numbers> numbers;
  bool moved;
};

void zeros(std::span<double> all) {
  std::ranges::fill(all, 0);
}

Labelled made(std::size_t count, bool by_trawl) {
  Numbers own = by_trawl ? numbers<double>(count, zeros) : Numbers(count);
  own[count - 1] = 7;
  const auto* const at = own.data();
  Lazy<Numbers> value(std::move(own));
  const bool moved = force(value).data() == at;
  return {value, moved};
}

Numbers doubled(const Numbers& some) {
  auto result = numbers<double>(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) result[i] = 2 * some[i];
  return result;
}

TEST(Numbers, AreZeros) {
  EXPECT_EQ(numbers<double>(100), Numbers(100));
  EXPECT_EQ(numbers<int>(many), std::vector<int>(many));
  EXPECT_TRUE(numbers<char>(0).empty());
}

TEST(Numbers, AreWhatIsWrittenIntoThem) {
  const auto squares = [](std::span<int> all) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i * i);
  };
  EXPECT_EQ(numbers<int>(4, squares), (std::vector<int>{0, 1, 4, 9}));
  EXPECT_TRUE(numbers<int>(0, squares).empty());
  auto longer = numbers<int>(many, squares);
  longer.push_back(-1);
  EXPECT_EQ(longer[many - 1], static_cast<int>((many - 1) * (many - 1)));
  EXPECT_EQ(longer.back(), -1);
  EXPECT_THROW(numbers<int>(many, [](std::span<int>) { throw Error("no"); }), Error);
}

using test::Lang;

TEST_P(Lang, LongNumbersAreMovedIntoTheirNode) {
  run([] {
    const Labelled long_one = made(many, true);
    EXPECT_EQ(force(long_one.numbers).back(), 7);
#ifndef TRAWL_NO_COLLECTOR
    EXPECT_TRUE(long_one.moved);
#endif
    EXPECT_FALSE(made(many, false).moved);
    EXPECT_FALSE(made(100, true).moved);
  });
}

TEST_P(Lang, TheyAreWhatFunctionsGiveAnywhere) {
  run([] {
    std::vector<Lazy<Numbers>> results;
    for (int i = 1; i <= 8; ++i) results.push_back(lazy<doubled>(Numbers(many, i)));
    apply(results, par_list(rseq));
    test::let_others_work();
    for (int i = 1; i <= 8; ++i)
      EXPECT_EQ(force(results[static_cast<std::size_t>(i - 1)]), Numbers(many, 2 * i));
    auto spawned = spawn<doubled>(Numbers(many, 5));
    test::let_others_work();
    EXPECT_EQ(spawned.sync(), Numbers(many, 10));
  });
}

}  // namespace
}  // namespace trawl
