// Whose lines can be written over.
#include "rts/host/terminal.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <pty.h>

namespace trawl {
namespace {

class Terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* const set = std::getenv("TERM")) was_ = set;
    ASSERT_EQ(openpty(&ours_, &its_, nullptr, nullptr, nullptr), 0);
  }
  void TearDown() override {
    close(ours_);
    close(its_);
    setenv("TERM", was_.c_str(), 1);
  }

  int ours_ = -1, its_ = -1;

 private:
  std::string was_;
};

TEST_F(Terminal, LinesAreWrittenOverWhereItCanDoThat) {
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(lines_can_be_written_over(its_));
  for (const char* const kind : {"dumb", ""}) {
    setenv("TERM", kind, 1);
    EXPECT_FALSE(lines_can_be_written_over(its_)) << kind;
  }
  unsetenv("TERM");
  EXPECT_FALSE(lines_can_be_written_over(its_)) << "nobody knows what it is";
}

TEST_F(Terminal, APipeIsNone) {
  setenv("TERM", "xterm", 1);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_FALSE(lines_can_be_written_over(pipe_ends[1]));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace trawl
