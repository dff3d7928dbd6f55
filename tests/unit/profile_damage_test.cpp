// profiles/: whatever may be wrong with a log is reported, and what is readable is read.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "profiles/read.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

namespace fs = std::filesystem;
using test::ProfileTest;
using trace::Kind;
using trace::Log;

constexpr long known_events = 13;

TEST_F(ProfileTest, NothingToReadIsAnErrorOfUsage) {
  EXPECT_EQ(digest(), -1) << "an empty directory";
  EXPECT_THROW(open_run((dir_ / "missing").string()), Error);
  std::ofstream(dir_ / "file") << "x";
  EXPECT_THROW(open_run((dir_ / "file").string()), Error);
}

TEST_F(ProfileTest, MissingPesAreReported) {
  write_known(1, trace::max_pes);
  const auto found = run();
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(to_string(found.damage[0]).find(dir_.string() + ": no readable log of 1048575 of"), 0U)
      << to_string(found.damage[0]);
}

TEST_F(ProfileTest, NamesThatAreNotThereAreReported) {
  write_known();
  fs::remove(dir_ / trace::codes_file);
  const auto without = run();
  ASSERT_EQ(without.damage.size(), 1U);
  EXPECT_EQ(to_string(without.damage[0]),
            (dir_ / trace::codes_file).string() +
                ": there is no such file, or it is none: functions have numbers here");
  EXPECT_EQ(name_of_code(without, 0), "code 0");
  write_codes({"f", std::string(trace::longest_codes, 'x')});
  const auto long_ones = run();
  ASSERT_EQ(long_ones.damage.size(), 1U);
  EXPECT_EQ(name_of_code(long_ones, 0), "code 0");
}

TEST_F(ProfileTest, WhatIsPlacedHasAMark) {
  write_known();
  write_codes({"f", "*g", "h"});
  const auto found = run();
  EXPECT_EQ(found.codes, (std::vector<std::string>{"f", "g", "h"}));
  EXPECT_EQ(found.placed, (std::vector<bool>{false, true, false}));
}

TEST_F(ProfileTest, DamagedNamesAreReported) {
  write_known();
  write_codes({"first", "second"});
  EXPECT_TRUE(run().damage.empty());
  EXPECT_EQ(name_of_code(run(), 1), "second");
  std::ifstream in(dir_ / trace::codes_file);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto flipped = whole;
    flipped[i] ^= 1;
    for (const auto& damaged : {flipped, whole.substr(0, i)}) {
      std::ofstream(dir_ / trace::codes_file) << damaged;
      const auto found = run();
      ASSERT_EQ(found.damage.size(), 1U) << damaged;
      EXPECT_EQ(to_string(found.damage[0]),
                (dir_ / trace::codes_file).string() +
                    ": it is damaged, or cut short: functions may have wrong names here");
    }
  }
}

TEST_F(ProfileTest, LogsOfAnotherRunAreLeftOut) {
  write_known(0, 2);
  write_known(1, 3);
  write_known(2, 3);
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 1U);
  ASSERT_EQ(found.damage.size(), 3U);
  for (const int pe : {1, 2})
    EXPECT_EQ(to_string(found.damage[static_cast<std::size_t>(pe - 1)]),
              path(pe) + ": it is of another run than " + path(0) + "; it is left out");
  EXPECT_EQ(to_string(found.damage[2]),
            dir_.string() + ": no readable log of 1 of 2 PEs, PE 1 for one");
}

TEST_F(ProfileTest, LogsOfAnEarlierRunOfTheSameAreLeftOut) {
  for (const int pe : {0, 1, 2}) {
    Log log(setup(pe, 3));
    log.set_offset(0, pe == 2 ? 7 : 9);
    log.close(pe == 0 ? 2 : 3);  // PE 2 has come to the earlier one only
  }
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 2U);
  ASSERT_FALSE(found.damage.empty());
  EXPECT_EQ(to_string(found.damage[0]),
            path(2) + ": it is of another run than " + path(0) + "; it is left out");
  for (const auto& damage : found.damage)
    EXPECT_EQ(to_string(damage).find("no readable log"), std::string::npos);
}

TEST_F(ProfileTest, NamesTellTerminalsNothing) {
  auto with = setup(0, 1);
  with.program = "evil\x1b]0;x\a";
  with.cluster = "\x1b[2J";
  Log(with).close();
  const auto found = run();
  ASSERT_EQ(found.logs.size(), 1U);
  EXPECT_EQ(found.logs[0].header.program, "evil?]0;x?");
  EXPECT_EQ(found.logs[0].header.cluster, "?[2J");
}

TEST_F(ProfileTest, LogUnderAnotherPesNameIsLeftOut) {
  write_known(0, 2);
  fs::copy_file(path(0), path(1));
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 1U);
  EXPECT_FALSE(found.damage.empty());
}

TEST_F(ProfileTest, WhatIsNoFileIsReported) {
  write_known(0, 3);
  fs::create_directory(path(1));
  ASSERT_EQ(::mkfifo(path(2).c_str(), 0600), 0);
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 1U);
  for (const int pe : {1, 2})
    EXPECT_TRUE(std::any_of(found.damage.begin(), found.damage.end(), [&](const auto& damage) {
      return to_string(damage).find(path(pe) + ": it is no regular file") != std::string::npos;
    })) << pe;
}

TEST_F(ProfileTest, LogOfADeadPeIsReadUpToItsEnd) {
  time_ = 500;
  Log log(setup(0, 1));
  for (int i = 0; i < 300; ++i) at(log, i, Kind::note);
  const auto found = run();  // while it is still open
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_NE(found.damage[0].what.find("never closed"), std::string::npos);
  EXPECT_FALSE(found.logs[0].complete);
  EXPECT_EQ(found.logs[0].events, 4096 / sizeof(trace::Event) - 2) << "one full buffer";
}

TEST_F(ProfileTest, EveryTruncationIsReported) {
  write_known();
  const auto good = contents();
  ASSERT_EQ(digest(), known_events);
  for (std::size_t size = 0; size < good.size(); ++size) {
    overwrite(good.substr(0, size));
    const auto header = trace::header_size + sizeof(trace::Block);
    const auto whole = size < header ? 0 : (size - header) / sizeof(trace::Event);
    const auto expected = size < trace::header_size ? -1 : static_cast<long>(whole);
    ASSERT_EQ(digest(), expected) << size << " bytes";
    if (expected >= 0 && size > trace::header_size) {
      ASSERT_FALSE(run().damage.empty()) << size << " bytes";
    }
  }
}

TEST_F(ProfileTest, EveryFlippedBitIsReportedAndMovesNoTime) {
  write_known();
  const auto good = contents();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    overwrite(bad);
    if (bit / 8 < trace::header_size) {
      ASSERT_EQ(digest(), -1) << "bit " << bit;
      continue;
    }
    const auto found = run();
    ASSERT_FALSE(found.damage.empty()) << "bit " << bit;
    ASSERT_EQ(found.damage[0].at, trace::header_size) << "bit " << bit;
    ASSERT_LE(found.end, 1000) << "bit " << bit;
    ASSERT_GE(digest(), 0);
    if (bit % 64 == 0) digest_work();
  }
}

TEST_F(ProfileTest, BlocksBehindADamagedOneAreRead) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    for (std::uint32_t i = 0; i < 1000; ++i) at(log, i, Kind::note, 0, i);
  }
  auto bytes = contents();
  const auto second = trace::header_size + sizeof(trace::Block) +
                      (4096 / sizeof(trace::Event) - 2) * sizeof(trace::Event);
  std::fill_n(bytes.begin() + second, 100, '\xFF');  // its Block and some events
  overwrite(bytes);
  const auto found = run();
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(found.damage[0].at, second);
  std::uint32_t last = 0;
  replay(
      found.logs[0], [&last](const trace::Event& event) { last = event.value; }, nullptr);
  EXPECT_EQ(last, 999U);
  EXPECT_TRUE(found.logs[0].complete);
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::string raw(const T& value) {
  return text_of(Bytes(std::as_bytes(std::span(&value, 1)).begin(),
                       std::as_bytes(std::span(&value, 1)).end()));
}

TEST_F(ProfileTest, RandomBytesAreReported) {
  std::mt19937_64 random(1);
  const auto header = text_of(encode(trace::Header{}));
  for (int i = 0; i < 500; ++i) {
    std::string noise(random() % 3000, '\0');
    for (auto& c : noise) c = static_cast<char>(random());
    overwrite(noise);
    ASSERT_EQ(digest(), -1);
    overwrite(header + noise);
    ASSERT_GE(digest(), 0);
    // Many beginnings of blocks, none of which is one.
    for (std::size_t at = 0; at + 64 < noise.size(); at += 8 * (1 + random() % 9))
      std::memcpy(noise.data() + at, &trace::block_magic, 8);
    overwrite(header + noise);
    ASSERT_GE(digest(), 0);
  }
}

TEST_F(ProfileTest, IntactBlocksOfNonsenseAreHarmless) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    trace::Header header;
    header.state = static_cast<trace::State>(random() % 3);
    header.end = static_cast<Nanos>(random() % (1ULL << 61));
    header.offset = static_cast<Nanos>(random() % (1ULL << 61)) * (random() % 2 == 0 ? 1 : -1);
    std::vector<trace::Event> events(1 + random() % 100);
    for (auto& event : events)
      event = {static_cast<Nanos>(random() >> (random() % 64)),
               static_cast<std::uint32_t>(random()),
               static_cast<std::uint16_t>(random()),
               static_cast<Kind>(random() % 30),
               static_cast<std::uint8_t>(random()),
               static_cast<std::uint32_t>(random()),
               static_cast<std::uint32_t>(random())};
    trace::Block block{trace::block_magic, static_cast<std::uint32_t>(events.size()), 0, 0, 0};
    block.checksum = trace::checksum(block, std::as_bytes(std::span(events)));
    auto bytes = text_of(encode(header)) + raw(block);
    for (const auto& event : events) bytes += raw(event);
    overwrite(bytes);
    ASSERT_GE(digest(), 0);
    digest_work();
  }
}

}  // namespace
}  // namespace trawl::profile
