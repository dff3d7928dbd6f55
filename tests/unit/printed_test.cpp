// What a run that is begun again has printed before is left out, however it comes in pieces.
#include "rts/launch/printed.hpp"

#include <string>

#include <gtest/gtest.h>

namespace trawl::launch {
namespace {

/// What is passed on of `text`, if it comes in pieces of so many bytes.
std::string passed_on(Printed& printed, const std::string& text, std::size_t piece) {
  std::string all;
  for (std::size_t at = 0; at < text.size(); at += piece)
    all += printed.only_new(std::string_view(text).substr(at, piece));
  return all;
}

TEST(Printed, IsLeftOutTheNextTime) {
  const std::string text = "one\ntwo\nthree\n";
  for (std::size_t before = 0; before <= text.size(); ++before)
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
      Printed printed;
      printed.start();
      EXPECT_EQ(passed_on(printed, text.substr(0, before), 2), text.substr(0, before));
      printed.start();
      EXPECT_EQ(printed.falls_short(), before != 0);
      EXPECT_EQ(passed_on(printed, text, piece), text.substr(before));
      EXPECT_FALSE(printed.differs() || printed.falls_short());
    }
}

TEST(Printed, IsNotLeftOutIfItDiffers) {
  const std::string text = "one\ntwo\n";
  for (std::size_t at = 0; at < text.size(); ++at) {
    Printed printed;
    printed.start();
    printed.only_new(text);
    printed.start();
    auto other = text;
    other[at] = '#';
    EXPECT_EQ(passed_on(printed, other + "three\n", 3), "");
    EXPECT_TRUE(printed.differs());
  }
}

TEST(Printed, IsKeptUpToALimit) {
  Printed printed;
  printed.start();
  const std::string line(std::size_t{1} << 20U, 'x');
  for (int lines = 0; lines < 20; ++lines) EXPECT_EQ(printed.only_new(line), line);
  EXPECT_TRUE(printed.too_long());
  EXPECT_FALSE(printed.falls_short());
}

}  // namespace
}  // namespace trawl::launch
