// Files, read and written in shards.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Simulation;
using namespace trawl::test;

class DistFile : public Skeletons {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("dist_file." + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string made(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}
std::string with_end(const std::string& line) {
  return line + "\n";
}

TEST_P(DistFile, LinesAreReadWhereTheyLieAndWrittenFromThere) {
  std::string large;
  for (int i = 0; large.size() < 3'000'000; ++i)
    large += std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 211), 'x') + "\n";
  const std::string empty_lines(200'000, '\n');
  const std::string one_line(300'000, 'y');
  for (const auto& text : {std::string(), std::string("a\nb"), std::string("\n\n"), empty_lines,
                           one_line, one_line + "\n" + one_line, large}) {
    const auto file = made("in", text);
    run([&] {
      const auto d = trawl::read_lines({file});
      const auto lines = lines_in(text);
      EXPECT_EQ(trawl::collect(d), lines);
      const auto out = path("out");
      std::string expected;
      for (const auto& line : lines) expected += with_end(line);
      EXPECT_EQ(trawl::write<with_end>(d, out), expected.size());
      EXPECT_EQ(content(out), expected);
    });
  }
}

struct Named {
  std::string name;
  std::string twice() const { return name + name; }
};
Named named(std::size_t i) {
  return {std::to_string(i)};
}

TEST_P(DistFile, WhatIsWrittenMayBeAMember) {
  run([&] {
    const auto d = trawl::generate<named>(12);
    const auto out = path("members");
    EXPECT_EQ(trawl::write<&Named::name>(d, out), 14U);
    EXPECT_EQ(content(out), "01234567891011");
    EXPECT_EQ(trawl::write<&Named::twice>(d, out), 28U);
    EXPECT_EQ(content(out), "0011223344556677889910101111");
  });
}

TEST_P(DistFile, OfSeveral) {
  std::vector<std::string> files;
  std::vector<std::string> lines;
  for (int i = 0; i < 10; ++i) {
    std::string text;
    for (int j = 0; j < 3000 * (i % 3); ++j) text += std::to_string(100 * i + j % 50) + "\n";
    files.push_back(made(std::to_string(i), text));
    for (const auto& line : lines_in(text)) lines.push_back(line);
  }
  run([&] { EXPECT_EQ(trawl::collect(trawl::read_lines(files)), lines); });
  EXPECT_THROW(run([&] { trawl::read_lines({path("none")}); }), trawl::Error);
}

TEST_P(DistFile, WhatCantBeWrittenIsSaid) {
  run([&] {
    const auto d = trawl::read_lines({made("in", "a\n")});
    try {
      trawl::write<with_end>(d, path("no/such/folder"));
      ADD_FAILURE();
    } catch (const trawl::Error& e) {
      EXPECT_NE(std::string(e.what()).find("no/such/folder: can't be written"), std::string::npos);
    }
  });
}

// As a PE does that can't open the file, with what comes from one that can.
TEST_P(DistFile, WhoCantReadAFileGetsItInPieces) {
  std::string text;
  for (int i = 0; text.size() < 5'000'000; ++i)
    text += std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 211), 'x') + "\n";
  const auto file = made("in", text);
  const auto none = path("none");
  run([&] {
    using namespace trawl::detail;
    std::vector<std::string> lines;
    const auto add = [&lines](const std::string& line) { lines.push_back(line); };
    std::uint64_t begin = 0;
    for (const std::uint64_t end : {std::size_t{1}, std::size_t{2}, std::size_t{1'500'000},
                                    std::size_t{1'500'001}, std::size_t{4'000'000}, text.size()}) {
      const Section section{none, begin, end, text.size()};
      read_section(section, lazy_placed<&read_piece<std::string>>(file, read_from(section)), add);
      begin = end;
    }
    EXPECT_EQ(lines, lines_in(text));
    const Section section{none, 0, 10, text.size()};
    EXPECT_THROW(
        read_section(section, lazy_placed<&read_piece<std::string>>(none, std::uint64_t{0}), add),
        trawl::Error);
  });
}

TEST_P(DistFile, AFileMayReplaceItself) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i) + "\n";
  const auto file = made("itself", text);
  run([&] { EXPECT_EQ(trawl::write<with_end>(trawl::read_lines({file}), file), text.size()); });
  EXPECT_EQ(content(file), text);
}

std::string no_text(const std::string& line) {
  if (line == "5") throw std::runtime_error("no text");
  return line;
}

TEST_P(DistFile, WhatThrowsLeavesTheFile) {
  const auto file = made("kept", "5\n6\n");
  run([&] {
    EXPECT_THROW(trawl::write<no_text>(trawl::read_lines({file}), file), trawl::ElementError);
  });
  EXPECT_EQ(content(file), "5\n6\n");
}

// What a section is of has another length by the time it is read.
TEST_P(DistFile, OneThatHasBecomeShorterIsSaid) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i) + "\n";
  const auto file = made("shrinks", text);
  run([&] {
    const auto d = trawl::read_lines({file});
    std::filesystem::resize_file(file, 1000);
    EXPECT_THROW(trawl::collect(d), trawl::Error);
  });
}

TEST_P(DistFile, WhatDoesNotSayHowLongItIsIsRefused) {
  run([] { EXPECT_THROW(trawl::read_lines({"/proc/self/status"}), trawl::Error); });
}

// Nothing is written between: the file takes no room on the disk.
TEST_P(DistFile, OfMoreThan32Bits) {
  constexpr std::uint64_t far = 5'000'000'000;
  run([&] {
    using namespace trawl::detail;
    const auto file = made("large", "");
    const trawl::Lazy<Text<std::string>> text({trawl::keep(std::string("\nlast\n")), 6});
    EXPECT_EQ(write_text(1, text, trawl::Lazy(std::vector<std::uint64_t>{0, far}), file), 6U);
    EXPECT_EQ(std::filesystem::file_size(file), far + 6);
    std::vector<std::string> lines;
    read_section({file, far + 1, far + 6, far + 6}, trawl::Lazy<Piece<std::string>>(),
                 [&lines](const std::string& line) { lines.push_back(line); });
    EXPECT_EQ(lines, std::vector<std::string>{"last"});
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistFile, testing::ValuesIn(grids));

}  // namespace
