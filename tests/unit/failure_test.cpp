// Exceptions as values: standard ones keep their type, others their name and message.
#include "rts/heap/failure.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rts/inline/exception.hpp"
#include "tests/unit/counted.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {

struct Peculiar : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Odd {
  int number;
};

/// Keeps a text that it was given.
struct Missing : std::exception {
  Missing() = default;
  explicit Missing(std::string what_is_missing) : name(std::move(what_is_missing)) {}
  const char* what() const noexcept override { return name.c_str(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }

  std::string name;
};
[[maybe_unused]] static const auto& missing_travels = exception_of<Missing>;

using Counted = test::Counted<struct OfFailures>;

namespace {

template <class E>
int throws(std::string message) {
  throw E(message);
}
int throws_missing(std::string name) {
  throw Missing(std::move(name));
}

int throws_odd(int number) {
  throw Odd{number};
}
int out_of_memory(int) {
  throw std::bad_alloc();
}

int throws_or_not(const Counted&, bool does) {
  if (does) throw std::range_error("it does");
  return Counted::alive;
}

/// A failed thunk, taken to another PE.
template <class Thunk>
Node* failed(Thunk thunk) {
  GlobalAddressTable home(0, 2, 16);
  GlobalAddressTable away(1, 2, 16);
  test::evaluate(thunk.node());
  EXPECT_EQ(thunk.node()->state(), State::exception);
  return test::carry(thunk, home, away).node();
}

template <class E>
void keeps_its_type() {
  Node* node = failed(lazy<throws<E>>(std::string("how sad")));
  ASSERT_EQ(node->state(), State::exception);
  for (int i = 0; i < 2; ++i) {  // as often as it is forced
    try {
      std::rethrow_exception(failure_of(node)->error);
      FAIL();
    } catch (const std::exception& e) {
      EXPECT_EQ(typeid(e), typeid(E));
      EXPECT_STREQ(e.what(), "how sad");
    }
  }
}

TEST(Failure, ArgumentsAreDestroyedHoweverTheCallEnds) {
  for (const bool throws : {false, true}) {
    const auto thunk = lazy<throws_or_not>(Counted(), throws);
    EXPECT_EQ(Counted::alive, 1);
    test::evaluate(thunk.node());
    EXPECT_EQ(thunk.node()->state(), throws ? State::exception : State::value);
    EXPECT_EQ(Counted::alive, 0);
  }
}

// The collector doesn't see exceptions, so nothing in them may be in the memory of values.
TEST(Failure, AnArgumentThatWentIntoTheExceptionStays) {
  const std::string name(1000, 'x');
  auto thunk = lazy<throws_missing>(name);
  test::evaluate(thunk.node());
  std::vector<Lazy<std::string>> others;
  for (int round = 0; round < 5; ++round) {
    collect();
    for (int i = 0; i < 100; ++i) others.emplace_back(std::string(1000, 'y'));
  }
  try {
    std::rethrow_exception(failure_of(thunk.node())->error);
    FAIL();
  } catch (const Missing& e) {
    EXPECT_EQ(e.name, name);
  }
}

TEST(Failure, StandardTypesKeepTheirType) {
  keeps_its_type<std::runtime_error>();
  keeps_its_type<std::range_error>();
  keeps_its_type<std::overflow_error>();
  keeps_its_type<std::underflow_error>();
  keeps_its_type<std::logic_error>();
  keeps_its_type<std::domain_error>();
  keeps_its_type<std::invalid_argument>();
  keeps_its_type<std::length_error>();
  keeps_its_type<std::out_of_range>();
  EXPECT_THROW(std::rethrow_exception(failure_of(failed(lazy<out_of_memory>(1)))->error),
               std::bad_alloc);
}

TEST(Failure, OthersKeepNameAndMessageOverManyPes) {
  GlobalAddressTable pes[] = {{0, 3, 16}, {1, 3, 16}, {2, 3, 16}};
  const auto thunk = lazy<throws<Peculiar>>(std::string("very"));
  test::evaluate(thunk.node());
  EXPECT_THROW(std::rethrow_exception(failure_of(thunk.node())->error), RemoteError);
  const auto far = test::carry(test::carry(thunk, pes[0], pes[1]), pes[1], pes[2]);
  try {
    std::rethrow_exception(failure_of(far.node())->error);
    FAIL();
  } catch (const RemoteError& e) {
    EXPECT_EQ(e.type_name(), "trawl::heap::Peculiar");
    EXPECT_STREQ(e.what(), "very");
  }
}

TEST(Failure, WhatIsNoStdException) {
  try {
    std::rethrow_exception(failure_of(failed(lazy<throws_odd>(3)))->error);
    FAIL();
  } catch (const RemoteError& e) {
    EXPECT_EQ(e.type_name(), "trawl::heap::Odd");
    EXPECT_STREQ(e.what(), "");
  }
}

TEST(Failure, OneThatTravelsTakesItsContentsOverManyPes) {
  GlobalAddressTable pes[] = {{0, 3, 16}, {1, 3, 16}, {2, 3, 16}};
  const auto thunk = lazy<throws_missing>(std::string("a key"));
  test::evaluate(thunk.node());
  const auto far = test::carry(test::carry(thunk, pes[0], pes[1]), pes[1], pes[2]);
  try {
    std::rethrow_exception(failure_of(far.node())->error);
    FAIL();
  } catch (const Missing& e) {
    EXPECT_EQ(e.name, "a key");
  }
}

TEST(Failure, TheirNamesAreInOrder) {
  const auto names = exceptions_that_travel();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_NE(std::find(names.begin(), names.end(), "trawl::heap::Missing"), names.end());
}

TEST(Failure, InsideAValue) {
  GlobalAddressTable home(0, 2, 16);
  GlobalAddressTable away(1, 2, 16);
  const auto thunk = lazy<throws<Peculiar>>(std::string("inside"));
  test::evaluate(thunk.node());
  using Values = std::vector<Lazy<int>>;
  const auto there = test::carry(Lazy<Values>(Values{thunk, Lazy<int>(3), thunk}), home, away);
  const auto& values = ResultOf<Values>::get(there.node());
  EXPECT_EQ(values[0].node()->state(), State::exception);
  EXPECT_EQ(values[0].node(), values[2].node());
  EXPECT_EQ(failure_of(values[0].node())->message, "inside");
}

}  // namespace
}  // namespace trawl::heap
