// Exceptions of the program's own arrive from another PE as they were thrown.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/lang_grid.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

/// Its text is not made of what it holds.
struct Coded : std::runtime_error {
  Coded() : runtime_error("coded") {}
  Coded(const std::string& text, int its_code) : runtime_error(text), code(its_code) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(code);
  }
  int code = 0;
};
TRAWL_EXCEPTION(Coded);

/// Its constructor adds to its text.
struct Prefixed : std::logic_error {
  explicit Prefixed(const std::string& text) : logic_error("prefixed: " + text) {}
};
TRAWL_EXCEPTION(Prefixed);

/// What it says is made anew each time.
struct Composed : std::runtime_error {
  Composed() : runtime_error("composed") {}
  const char* what() const noexcept override {
    text = std::string(std::runtime_error::what()) + " of " + std::to_string(number);
    return text.c_str();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number);
  }
  int number = 0;
  mutable std::string text;
};
TRAWL_EXCEPTION(Composed);

long fails_somehow(int how) {
  Simulation::work(1'000'000);
  if (how == 0) throw Coded("mine", 7);
  if (how == 1) throw Prefixed("x");
  Composed composed;
  composed.number = how;
  throw composed;
}

TEST_P(Lang, ExceptionsSayWhatTheySaidWhereTheyWereThrown) {
  run([] {
    std::vector<trawl::Lazy<long>> all;
    for (int i = 0; i < 30; ++i) all.push_back(trawl::par(trawl::lazy<fails_somehow>(i % 3)));
    let_others_work();
    for (int i = 0; i < 30; ++i) {
      try {
        trawl::force(all[static_cast<std::size_t>(i)]);
        ADD_FAILURE();
      } catch (const Coded& error) {
        EXPECT_EQ(i % 3, 0);
        EXPECT_STREQ(error.what(), "mine");
        EXPECT_EQ(error.code, 7);
      } catch (const Prefixed& error) {
        EXPECT_EQ(i % 3, 1);
        EXPECT_STREQ(error.what(), "prefixed: x");
      } catch (const Composed& error) {
        EXPECT_EQ(i % 3, 2);
        EXPECT_STREQ(error.what(), "composed of 2");
      }
    }
  });
}

}  // namespace
}  // namespace trawl
