// Values and distributed data in files, and runs that go on from there.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <trawl/checkpoint.hpp>
#include <unistd.h>

#include "tests/unit/dist_grid.hpp"

namespace {

using namespace trawl::test;

class Checkpoint : public Skeletons {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("checkpoint." + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file() const { return folder_ / "saved"; }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

std::string named(std::size_t i) {
  return std::string(i % 17, 'x') + std::to_string(i);
}
std::string longer(const std::string& name, int by) {
  return name + std::to_string(by);
}

constexpr std::size_t elements = 200;

std::vector<std::string> after(int steps) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < elements; ++i) {
    all.push_back(named(i));
    for (int step = 0; step < steps; ++step) all.back() = longer(all.back(), step);
  }
  return all;
}

using Notes = std::map<std::string, double>;

// One run does three steps and saves, another one on other PEs goes on.
TEST_P(Checkpoint, AnotherRunGoesOn) {
  run([&] {
    auto d = trawl::generate<named>(elements);
    for (int step = 0; step < 3; ++step) d = trawl::map<longer>(d, step);
    trawl::checkpoint(file(), 3, d, Notes{{"warm", 0.5}});
  });
  EXPECT_EQ(files(), 1U);
  auto others = config();
  others.net.pes = 5 - GetParam() % 4;
  run(others, [&] {
    int step = 0;
    trawl::Dist<std::string> d;
    Notes notes;
    ASSERT_TRUE(trawl::restart(file(), step, d, notes));
    EXPECT_EQ(step, 3);
    EXPECT_EQ(notes, (Notes{{"warm", 0.5}}));
    EXPECT_EQ(trawl::collect(d), after(3));
    for (; step < 5; ++step) d = trawl::map<longer>(d, step);
    EXPECT_EQ(trawl::collect(d), after(5));
    trawl::checkpoint(file(), step, d, notes);  // in place of itself
  });
  EXPECT_EQ(files(), 1U);
}

// What was restored does not need the file any more.
TEST_P(Checkpoint, TheFileMayBeAnotherOneAfterwards) {
  run([&] { trawl::checkpoint(file(), 3, trawl::generate<named>(elements)); });
  run([&] {
    int step = 0;
    trawl::Dist<std::string> d;
    ASSERT_TRUE(trawl::restart(file(), step, d));
    trawl::checkpoint(file(), step + 1);
    EXPECT_EQ(trawl::collect(d), after(0));
  });
}

TEST_P(Checkpoint, WhereItCannotBeLookedItIsNotMissing) {
  run([&] {
    int step = 0;
    std::filesystem::create_symlink("saved", file());
    EXPECT_THROW(trawl::restart(file() + "/saved", step), trawl::Error);
    std::filesystem::remove(file());
    std::filesystem::create_directory(file());
    EXPECT_THROW(trawl::restart(file(), step), trawl::Error);
    EXPECT_THROW(trawl::checkpoint(file(), step), trawl::Error);
  });
  EXPECT_EQ(files(), 1U);
}

TEST_P(Checkpoint, OfNothing) {
  run([&] {
    int step = 7;
    EXPECT_FALSE(trawl::restart(file(), step));
    EXPECT_EQ(step, 7);
    trawl::checkpoint(file(), trawl::Dist<long>());
    trawl::Dist<long> none;
    EXPECT_TRUE(trawl::restart(file(), none));
    EXPECT_EQ(none.size(), 0U);
  });
}

/// What is said when this is to be restarted from; nothing: it is as it was saved.
std::string refused(const std::string& file) {
  int step = 7;
  trawl::Dist<std::string> d;
  try {
    trawl::restart(file, step, d);
    EXPECT_EQ(step, 3);
    EXPECT_EQ(trawl::collect(d), after(0));
    return "";
  } catch (const std::exception& e) {
    EXPECT_EQ(step, 7) << "the values are as they were";
    return e.what();
  }
}

TEST_P(Checkpoint, DamageIsNoticed) {
  if (GetParam() > 2) return;
  run([&] { trawl::checkpoint(file(), 3, trawl::generate<named>(elements)); });
  const auto whole = content();
  const auto stride = whole.size() / 40;
  run([&] {
    EXPECT_EQ(refused(file()), "");
    for (std::size_t size = 0; size < whole.size(); size += stride) {
      write(whole.substr(0, size));
      EXPECT_NE(refused(file()).find("no checkpoint that this program can go on from"),
                std::string::npos)
          << size;
    }
    for (std::size_t at = 0; at < whole.size(); at += stride) {
      auto damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
      write(damaged);
      EXPECT_NE(refused(file()), "") << at;
    }
    write(whole + "x");
    EXPECT_NE(refused(file()).find("does not end where it should"), std::string::npos);
  });
}

TEST_P(Checkpoint, OtherTypesAreRefused) {
  run([&] {
    trawl::checkpoint(file(), 3);
    double number = 0;
    try {
      trawl::restart(file(), number);
      FAIL();
    } catch (const trawl::Error& e) {
      EXPECT_NE(std::string(e.what()).find("values of other types"), std::string::npos);
    }
  });
}

// The former one is still there.
TEST_P(Checkpoint, WhatCannotBeSaved) {
  run([&] {
    trawl::checkpoint(file(), 3);
    EXPECT_THROW(trawl::checkpoint(file(), trawl::Lazy<int>(1)), trawl::Error);
    EXPECT_THROW(trawl::checkpoint(file() + "/no folder", 3), trawl::Error);
    int step = 0;
    EXPECT_TRUE(trawl::restart(file(), step));
    EXPECT_EQ(step, 3);
  });
  EXPECT_EQ(files(), 1U);
}

// Two at once would write into each other's file.
TEST_P(Checkpoint, NoOtherRunIsWritingIt) {
  run([&] {
    trawl::checkpoint(file(), 4L);
    {
      const trawl::detail::SoleWriter other(file() + ".unfinished");
      EXPECT_THROW(trawl::checkpoint(file(), 5L), trawl::Error);
    }
    long saved = 0;
    EXPECT_TRUE(trawl::restart(file(), saved));
    EXPECT_EQ(saved, 4);
    trawl::checkpoint(file(), 6L);
    EXPECT_TRUE(trawl::restart(file(), saved));
    EXPECT_EQ(saved, 6);
  });
  EXPECT_EQ(files(), 1U);
}

TEST_P(Checkpoint, ALinkIsFollowedAndWhatIsNoFileStays) {
  write("something");
  const auto link = file() + ".link";
  std::filesystem::create_symlink(file(), link);
  const auto pipe = file() + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  run([&] {
    trawl::checkpoint(link, 5L);
    EXPECT_THROW(trawl::checkpoint(pipe, 5L), trawl::Error);
    long five = 0;
    EXPECT_THROW(trawl::restart(pipe, five), trawl::Error);
    EXPECT_TRUE(trawl::restart(file(), five));
    EXPECT_EQ(five, 5);
  });
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

struct Inner {
  double x = 0;
  std::vector<float> more;
};
struct Outer {
  Inner inner;
  std::vector<Outer> within;
};

// A type's name and size stay where its fields change.
TEST(CheckpointTypes, WhatTheyAreMadeOfCounts) {
  using namespace trawl::detail;
  static_assert(std::is_same_v<parts_of_type<Inner>::type, Types<double, std::vector<float>>>);
  static_assert(std::is_same_v<parts_of_type<Outer>::type, Types<Inner, std::vector<Outer>>>);
  static_assert(std::is_same_v<parts_of_type<trawl::Dist<Inner>>::type, Types<Inner>>);
  static_assert(holds_of_this_run<std::vector<std::pair<int, trawl::Bound<long>>>>());
  static_assert(!holds_of_this_run<Outer>());
  EXPECT_NE(type_number<Outer>(), type_number<Inner>());
  EXPECT_EQ((type_number<Inner, Inner>() == type_number<Inner>()), false) << "fields are in it";
}

INSTANTIATE_TEST_SUITE_P(Pes, Checkpoint, testing::ValuesIn(grids));

}  // namespace
