// What a run shows of itself: the format.
#include "rts/trace/pulse.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace trawl::trace {
namespace {

Table two_pes() {
  Table table;
  table.head.number = 7;
  table.head.time = 5'000'000'000;
  table.head.interval = 1'000'000'000;
  table.head.pid = 4711;
  set_name(table.head.program, "sum_euler");
  set_name(table.head.host, "alpha");
  table.rows.resize(2);
  table.rows[0].heard = 4'000'000'000;
  table.rows[0].pulse.sparks_created = 12;
  table.rows[0].pulse.busy = 1;
  set_name(table.rows[0].pulse.host, "alpha");
  table.rows[1].presence = Presence::lost;
  table.links.push_back({0, 1, 2'000'000, 0});
  return table;
}

std::string refused(const Bytes& bytes) {
  try {
    decode_table(bytes);
  } catch (const BadBytes& e) {
    return e.what();
  }
  return "";
}

TEST(PulseFormat, WhatIsWrittenIsRead) {
  EXPECT_EQ(decode_table(encode(two_pes())), two_pes());
}

TEST(PulseFormat, NoDamagedByteGoesUnnoticed) {
  const auto sound = encode(two_pes());
  for (std::size_t at = 0; at < sound.size(); ++at) {
    auto bytes = sound;
    bytes[at] ^= std::byte{0x10};
    EXPECT_NE(refused(bytes), "") << at;
  }
}

TEST(PulseFormat, NeitherTooShortNorTooLong) {
  auto bytes = encode(two_pes());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refused(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "");
  bytes.resize(bytes.size() + 8, std::byte{0});
  EXPECT_NE(refused(bytes), "");
}

TEST(PulseFormat, AnotherVersionIsNamed) {
  auto bytes = encode(two_pes());
  const std::uint32_t next = pulse_version + 1;
  std::memcpy(bytes.data() + 8, &next, sizeof next);
  EXPECT_EQ(refused(bytes), "it has format 3, this program reads format 2");
  EXPECT_EQ(refused(Bytes(400, std::byte{'x'})), "it is no table of a run");
}

// Its checksum is right all the same.
TEST(PulseFormat, NonsenseIsRefused) {
  const std::vector<std::function<void(Table&)>> wrongs{
      [](Table& table) { table.head.time = -1; },
      [](Table& table) { table.head.interval = max_time; },
      [](Table& table) { table.head.pid = 0; },
      [](Table& table) { table.head.stage = Stage{2}; },
      [](Table& table) { table.head.program.fill('x'); },
      [](Table& table) { table.rows[0].heard = table.head.time + 1; },
      [](Table& table) { table.rows[0].presence = Presence{5}; },
      [](Table& table) { table.rows[1].speed = std::numeric_limits<double>::quiet_NaN(); },
      [](Table& table) { table.rows[0].pulse.workers = 0; },
      [](Table& table) { table.rows[0].pulse.busy = 1000; },
      [](Table& table) { table.rows[0].pulse.idle = ~std::uint64_t{0}; },
      [](Table& table) { table.rows[0].pulse.time = never; },
      [](Table& table) { table.rows[0].pulse.cluster.fill('x'); },
      [](Table& table) { table.links[0].bytes_a_second = -1; },
      [](Table& table) { table.links.resize(most_links + 1); },
      [](Table& table) { table.rows.clear(); },
  };
  for (std::size_t i = 0; i < wrongs.size(); ++i) {
    auto table = two_pes();
    wrongs[i](table);
    EXPECT_NE(refused(encode(table)), "") << i;
  }
}

TEST(PulseFormat, LongNamesAreCut) {
  Name<8> name{};
  set_name(name, "a_very_long_name");
  EXPECT_EQ(text_of(name), "a_very_");
  set_name(name, "b");
  EXPECT_EQ(text_of(name), "b");
}

}  // namespace
}  // namespace trawl::trace
