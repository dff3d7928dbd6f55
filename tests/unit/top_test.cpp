// What trawl-top makes of a run's tables.
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "profiles/top/sample.hpp"
#include "profiles/top/show.hpp"
#include "tests/unit/units.hpp"

namespace trawl::top {
namespace {

using trace::Presence;

/// Each PE has done 100 sparks a second, idle for a quarter of its time.
trace::Table after(int seconds, int pes) {
  trace::Table table;
  table.head.number = static_cast<std::uint64_t>(seconds);
  table.head.time = seconds * second;
  table.head.interval = second;
  table.head.pid = 4711;
  trace::set_name(table.head.program, "bin/fib");
  table.rows.resize(static_cast<std::size_t>(pes));
  for (int pe = 0; pe < pes; ++pe) {
    auto& row = table.rows[static_cast<std::size_t>(pe)];
    row.heard = table.head.time;
    row.cluster = static_cast<std::uint32_t>(pe % 2);
    auto& pulse = row.pulse;
    const auto time = static_cast<std::uint64_t>(seconds);
    pulse.time = 77 * second + table.head.time;
    pulse.sparks_subsumed = 90 * time;
    pulse.sparks_converted = 10 * time;
    pulse.mutator = 750'000'000 * time;
    pulse.idle = 250'000'000 * time;
    pulse.busy = 1;
    pulse.sparks = 5;
    trace::set_name(pulse.host, "alpha");
    trace::set_name(pulse.cluster, pe % 2 == 0 ? "north" : "south");
  }
  return table;
}

std::size_t longest(const std::string& text) {
  std::istringstream in(text);
  std::size_t most = 0;
  for (std::string line; std::getline(in, line);) most = std::max(most, line.size());
  return most;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Top, RatesAreThoseBetweenTwoTables) {
  History history;
  auto sample = history.take(after(4, 2));
  EXPECT_NEAR(sample.pes[0].done_rate, 100, 1e-6) << "since the run began";
  auto next = after(6, 2);
  next.rows[0].pulse.sparks_converted += 600;
  next.rows[0].pulse.idle += second;
  sample = history.take(next);
  EXPECT_NEAR(sample.pes[0].done_rate, 400, 1e-6);
  EXPECT_NEAR(sample.pes[0].idle, 0.5, 1e-6);
  EXPECT_NEAR(sample.pes[1].idle, 0.25, 1e-6);
  EXPECT_NEAR(sample.total.done_rate, 500, 1e-6);
  EXPECT_NEAR(sample.total.idle, 0.375, 1e-6);
  EXPECT_EQ(sample.total.workers, 2U);
  // The same pulses in another table say nothing new.
  ++next.head.number;
  EXPECT_NEAR(history.take(next).pes[0].done_rate, 400, 1e-6);
}

TEST(Top, WhoIsNotThereIsNamedAndDoesNotCount) {
  auto table = after(9, 7);
  table.rows[6].presence = Presence::leaves;
  table.rows[1].presence = Presence::lost;
  table.rows[2].presence = Presence::left;
  table.rows[3].presence = Presence::to_come;
  table.rows[3].heard = trace::Row::unheard;
  table.rows[4].heard = 2 * second;
  table.rows[5].heard = trace::Row::unheard;
  table.head.since = 8 * second;
  table.rows[4].heard = trace::Row::unheard;
  const auto young = History().take(table);
  EXPECT_EQ(young.pes[4].remark, "has not answered yet");
  table.head.since = 1 * second;
  table.rows[4].heard = 2 * second;
  const auto sample = History().take(table);
  EXPECT_EQ(sample.pes[0].remark, "");
  EXPECT_EQ(sample.pes[1].remark, "lost");
  EXPECT_EQ(sample.pes[2].remark, "has left");
  EXPECT_EQ(sample.pes[3].remark, "may still come");
  EXPECT_EQ(sample.pes[4].remark, "silent for 7 s");
  EXPECT_EQ(sample.pes[5].remark, "silent for 8 s");
  EXPECT_EQ(sample.pes[6].remark, "is leaving");
  EXPECT_EQ(sample.total.pes, 1);
  const auto text = top::table(sample, 100, unbounded);
  EXPECT_NE(text.find("1 PE, 2 silent, 1 lost, 1 leaving, 1 left, 1 to come"), std::string::npos)
      << text;
}

TEST(Top, FitsAnyTerminal) {
  History history;
  auto table = after(5, 100);
  table.links.push_back({0, 1, 3'000'000, 100'000});
  table.rows[3].presence = Presence::lost;
  const auto sample = history.take(table);
  for (std::size_t width = 1; width < 200; ++width)
    for (const std::size_t height : {1U, 2U, 3U, 4U, 5U, 6U, 24U, 104U, 200U}) {
      const auto text = top::table(sample, width, height);
      EXPECT_LE(longest(text), width);
      EXPECT_LE(lines(text), height);
    }
  EXPECT_EQ(lines(top::table(sample, 80, 3)), 3U) << "what there is room for";
  EXPECT_EQ(top::table(sample, 80, 0), "");
}

TEST(Top, ManyPesAreTakenTogetherByClusters) {
  History history;
  const auto sample = history.take(after(5, 100));
  const auto text = top::table(sample, 120, 24);
  EXPECT_NE(text.find("north (50 PEs)"), std::string::npos) << text;
  EXPECT_EQ(lines(text), 6U);
  auto one_cluster = after(5, 100);
  for (auto& row : one_cluster.rows) trace::set_name(row.pulse.cluster, "north");
  const auto cut = top::table(history.take(one_cluster), 120, 24);
  EXPECT_NE(cut.find("... and 81 more PEs"), std::string::npos) << cut;
}

TEST(Top, LinksAreNamedByTheirClusters) {
  auto table = after(5, 4);
  table.links.push_back({0, 1, 3'000'000, 2'500'000});
  table.links.push_back({1, 7, -1, 100});
  const auto sample = History().take(table);
  const auto text = top::table(sample, 120, unbounded);
  EXPECT_NE(text.find("north - south: 3.00 ms one way, 2.5MB/s at least"), std::string::npos);
  EXPECT_NE(text.find("south - cluster 7: 100B/s at least"), std::string::npos) << text;
  const auto json = to_json(sample);
  EXPECT_EQ(json["links"][0]["latency_s"], 0.003);
  EXPECT_TRUE(json["links"][1]["latency_s"].is_null());
}

TEST(Top, NamesCanNotMoveTheCursor) {
  auto table = after(5, 2);
  trace::set_name(table.head.program, "\033[2J\nx");
  trace::set_name(table.rows[0].pulse.host, "\233h");
  const auto text = top::table(History().take(table), 200, unbounded);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
  EXPECT_NE(text.find("?[2J?x"), std::string::npos) << text;
}

TEST(Top, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1000), "1.0k");
  EXPECT_EQ(short_number(52'300), "52k");
  EXPECT_EQ(short_number(999'499), "999k");
  EXPECT_EQ(short_number(999'500), "1.0M");
  EXPECT_EQ(short_number(1.8e19), "18E");
}

}  // namespace
}  // namespace trawl::top
