// Lazies: made, offered to others, forced; and the exceptions that come instead of values.
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::Lazy;
using trawl::Simulation;
using namespace std::string_literals;
using namespace trawl::test;

INSTANTIATE_TEST_SUITE_P(Pes, Lang, testing::Values(1, 2, 4));

/// A thunk that another PE, if there is one, has evaluated.
template <auto F, class... A>
auto elsewhere(A... arguments) {
  auto x = trawl::par(trawl::lazy<F>(arguments...));
  let_others_work();
  return x;
}

// ---- Lazy --------------------------------------------------------------------------------------

Lazy<std::string> made_before_main{"there already"};
Lazy<long> suspended_before_main = trawl::lazy<twice>(21);

TEST(LangGlobal, LazyMadeBeforeMain) {
  EXPECT_TRUE(made_before_main.evaluated());
  EXPECT_EQ(trawl::force(made_before_main), "there already");
  EXPECT_FALSE(suspended_before_main.evaluated());
  Simulation::Config config;
  Simulation simulation(config);
  simulation.run([] { EXPECT_EQ(trawl::force(suspended_before_main), 42); });
}

TEST(LangOutside, IsAnErrorNotACrash) {
  const auto x = trawl::lazy<twice>(1);
  EXPECT_THROW(trawl::force(x), trawl::Error);
  EXPECT_THROW(trawl::par(x), trawl::Error);
  EXPECT_THROW(trawl::pseq(x, 1), trawl::Error);
  EXPECT_THROW(static_cast<void>(trawl::spawn<twice>(1)), trawl::Error);
  EXPECT_THROW(trawl::rdeepseq(x), trawl::Error);
  const Lazy<long> value(3);
  EXPECT_EQ(trawl::force(trawl::par(value)), 3);
}

TEST_P(Lang, LazyRefersToNothingByDefault) {
  run([] {
    const Lazy<long> none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.evaluated());
    EXPECT_FALSE(none);
    EXPECT_FALSE(trawl::par(none));
    trawl::rdeepseq(none);
    EXPECT_THROW(trawl::force(none), trawl::Error);
    EXPECT_THROW(trawl::force(none), trawl::Error);
  });
}

TEST_P(Lang, CopiesOfALazyAreTheSameThunk) {
  run([] {
    const auto x = trawl::lazy<twice>(3);
    const auto y = trawl::lazy<twice>(3);
    const auto copy = x;
    EXPECT_TRUE(x);
    EXPECT_EQ(x.node(), copy.node());
    EXPECT_NE(x.node(), y.node());
    EXPECT_FALSE(x.evaluated());
    EXPECT_EQ(trawl::force(copy), 6);
    EXPECT_TRUE(x.evaluated());
    EXPECT_FALSE(y.evaluated());
    Lazy<long> z;
    z = x;
    EXPECT_EQ(z.node(), x.node());
  });
}

TEST_P(Lang, LazyInBothSpellings) {
  run([] {
    EXPECT_EQ(trawl::force(trawl::lazy<add>(1, 2)), 3);
    EXPECT_EQ(trawl::force(trawl::lazy<[](long n) { return n + 1; }>(1)), 2);
    EXPECT_EQ(trawl::force(trawl::lazy([](const std::string& s, auto n) { return s.size() + n; },
                                       "four"s, std::size_t{1})),
              5U);
    EXPECT_EQ(trawl::force(trawl::lazy([](const std::string& s) { return s + s; }, "ab")), "abab");
  });
}

TEST_P(Lang, ForceGivesOneObject) {
  run([] {
    const auto x =
        trawl::lazy([](long n) { return std::vector<long>(static_cast<std::size_t>(n)); }, 9);
    const std::vector<long>& first = trawl::force(x);
    EXPECT_EQ(&first, &trawl::force(x));
    EXPECT_EQ(first.size(), 9U);
  });
}

TEST_P(Lang, ParMaySendItAway) {
  run([this] {
    const auto x = elsewhere<where>(1);
    EXPECT_EQ(trawl::force(x) == 0, alone());
    const auto y = trawl::par(trawl::lazy<twice>(2));
    EXPECT_EQ(trawl::par(y, 7), 7);
    EXPECT_EQ(trawl::force(y), 4);
  });
}

TEST_P(Lang, PseqEvaluatesFirst) {
  run([] {
    const auto x = trawl::lazy<twice>(2);
    const auto y = trawl::lazy<twice>(3);
    EXPECT_EQ(trawl::pseq(x, y).node(), y.node());
    EXPECT_TRUE(x.evaluated());
    EXPECT_FALSE(y.evaluated());
    EXPECT_EQ(trawl::pseq(y, "s"s), "s");
  });
}

TEST_P(Lang, ValuesHoldLazies) {
  run([] {
    using Inner = std::map<std::string, std::vector<Lazy<long>>>;
    const auto make = [](long n) {
      return Inner{{"a", {trawl::lazy<twice>(n), Lazy<long>(n)}}, {"b", {}}};
    };
    const auto x = trawl::lazy(make, 5);
    const auto total = trawl::lazy(
        [](const Lazy<Inner>& inner) {
          long sum = 0;
          for (const auto& [name, values] : trawl::force(inner))
            for (const auto& value : values) sum += trawl::force(value);
          return sum;
        },
        x);
    trawl::par(total);
    let_others_work();
    EXPECT_EQ(trawl::force(total), 15);
    EXPECT_EQ(trawl::force(trawl::force(x).at("a")[0]), 10);
  });
}

// ---- exceptions --------------------------------------------------------------------------------

TEST_P(Lang, ExceptionsAreRethrownAtEveryForce) {
  run([] {
    const auto x = elsewhere<fails>(0);
    for (int i = 0; i < 3; ++i) {
      try {
        trawl::force(x);
        ADD_FAILURE();
      } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "far");
      }
    }
    EXPECT_TRUE(x.evaluated());
    EXPECT_THROW(trawl::force(elsewhere<fails>(1)), std::invalid_argument);
    EXPECT_THROW(trawl::force(elsewhere<fails>(4)), std::bad_alloc);
    EXPECT_THROW(trawl::force(trawl::lazy<fails>(1)), std::invalid_argument);
    EXPECT_THROW(trawl::pseq(x, 1), std::out_of_range);
  });
}

void throws_what_every_pe_throws(const Lazy<long>& unheard, const Lazy<long>& number) {
  try {
    trawl::force(unheard);
    ADD_FAILURE();
  } catch (const trawl::RemoteError& e) {
    EXPECT_EQ(e.type_name(), "trawl::test::Unheard");
    EXPECT_STREQ(e.what(), "of");
  }
  try {
    trawl::force(number);
    ADD_FAILURE();
  } catch (const trawl::RemoteError& e) {
    EXPECT_EQ(e.type_name(), "int");
  }
}

TEST_P(Lang, UnknownExceptionsKeepTheirNameAndMessage) {
  run([] {
    throws_what_every_pe_throws(trawl::lazy<fails>(2), trawl::lazy<fails>(3));
    throws_what_every_pe_throws(elsewhere<fails>(2), elsewhere<fails>(3));
  });
}

void throws_itself(const Lazy<long>& heard, const Lazy<long>& overdrawn, const Lazy<long>& ours) {
  try {
    trawl::force(heard);
    ADD_FAILURE();
  } catch (const Heard& e) {
    EXPECT_STREQ(e.what(), "well");
  }
  for (int i = 0; i < 2; ++i) {
    try {
      trawl::force(overdrawn);
      ADD_FAILURE();
    } catch (const Overdrawn& e) {
      EXPECT_EQ(e.account, "of a long name, not in the exception itself");
      EXPECT_EQ(e.by, 7);
    }
  }
  try {
    trawl::force(ours);
    ADD_FAILURE();
  } catch (const trawl::Error& e) {
    EXPECT_STREQ(e.what(), "ours");
    EXPECT_EQ(e.exit_code(), 9);
  }
}

TEST_P(Lang, ExceptionsThatTravelArriveAsThemselves) {
  run([] {
    throws_itself(trawl::lazy<fails>(5), trawl::lazy<fails>(6), trawl::lazy<fails>(7));
    throws_itself(elsewhere<fails>(5), elsewhere<fails>(6), elsewhere<fails>(7));
  });
}

// Passes through a thunk that forces the failed one, on yet another PE.
TEST_P(Lang, ExceptionsPassThroughThunks) {
  run([] {
    const auto x = elsewhere<fails>(0);
    const auto y =
        trawl::par(trawl::lazy([](const Lazy<long>& inner) { return trawl::force(inner); }, x));
    let_others_work();
    EXPECT_THROW(trawl::force(y), std::out_of_range);
  });
}

}  // namespace
