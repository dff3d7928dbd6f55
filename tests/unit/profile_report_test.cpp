// profiles/report: what is read from known logs, and what a page has in it.
#include "tests/unit/profile_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/report/pack.hpp"
#include "rts/trace/codes.hpp"

namespace {

using namespace trawl;
using namespace trawl::test;

nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST_F(ReportTest, FunctionsAreAudited) {
  write_two();
  const auto all = report();
  const auto& root = function(all, root_code);
  EXPECT_EQ(root.ran, 490);
  EXPECT_EQ(root.blocks, 1U);
  EXPECT_EQ(root.blocked, 500);
  EXPECT_EQ(root.blocked_afar, 500);
  EXPECT_EQ(root.queued, 10);
  EXPECT_EQ(root.ran_threads, 1U);
  EXPECT_EQ(root.longest, 490);
  EXPECT_EQ(root.made, 3U);
  EXPECT_EQ(root.awaited, 0);
  const auto& seventh = function(all, 7);
  EXPECT_EQ(seventh.name, "code 7");
  EXPECT_EQ(seventh.exported, 1U);
  EXPECT_EQ(seventh.imported, 1U);
  EXPECT_EQ(seventh.converted, 0U);
  EXPECT_EQ(seventh.bytes_out, 120U);
  EXPECT_EQ(seventh.bytes_home, 60U);
  EXPECT_EQ(seventh.awaited, 500);
  EXPECT_EQ(seventh.ran, 490);
  EXPECT_EQ(seventh.queued, 10) << "since its spark had come";
  EXPECT_EQ(seventh.longest_pe, 1);
}

// In which no thread begins, blocks or ends.
TEST_F(ReportTest, OfAWindowEverythingIsOfTheWindow) {
  write_two();
  const auto all = report_of(run(), 500, 600);
  const auto& root = function(all, root_code);
  EXPECT_EQ(root.ran_threads, 0U);
  EXPECT_EQ(root.blocked, 100);
  EXPECT_EQ(root.blocks, 1U) << "it had begun";
  const auto& seventh = function(all, 7);
  EXPECT_EQ(seventh.ran_threads, 1U);
  EXPECT_EQ(seventh.ran, 100);
  EXPECT_EQ(seventh.longest, 100);
  EXPECT_EQ(seventh.mean(), 100);
  EXPECT_EQ(seventh.awaited, 100);
  EXPECT_EQ(all.facts.threads, 1U);
  EXPECT_NEAR(all.facts.longest, 100e-9, 1e-15);
  EXPECT_NEAR(all.facts.thread_mean, 100e-9, 1e-15);
  EXPECT_EQ(all.facts.blocks, 1U);
}

TEST_F(ReportTest, WhatRanBeforeAWindowAndBehindItIsNotInIt) {
  write_two();
  const auto first = report_of(run(), 0, 350);
  EXPECT_EQ(function(first, root_code).blocks, 0U) << "it is blocked later";
  EXPECT_EQ(function(first, root_code).longest, 350);
  EXPECT_EQ(function(first, 7).longest, 40);
  const auto last = report_of(run(), 850, 1000);
  EXPECT_EQ(function(last, root_code).longest, 90) << "490 with what it ran before";
  EXPECT_EQ(last.facts.threads, 1U);
}

/// The root makes sparks, and says of which functions they are, as it was seen; of each so many
/// become threads.
void write_sparks(Log& log, const std::map<std::uint32_t, std::array<std::uint32_t, 2>>& made) {
  std::uint32_t thread = 1;
  log.event(Kind::thread_start, 0, thread);
  log.event(Kind::thread_run, 0, thread);
  for (const auto& [code, numbers] : made)
    if (numbers[0] != 0) log.event(Kind::spark_made, 0, code, 0, numbers[0]);
  log.event(Kind::thread_end, 0, thread);
  for (const auto& [code, numbers] : made)
    for (std::uint32_t i = 0; i < numbers[1]; ++i)
      log.event(Kind::spark_convert, 0, code, 0, ++thread);
}

// Which sparks are looked at is a matter of luck: 32 of one function, and a thousand later ones
// count as the same.
TEST_F(ReportTest, NoFunctionHasFewerSparksThanThreads) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    log.set_offset(-500);
    write_sparks(log, {{7, {1100, 100}}, {8, {0, 450}}, {9, {10, 20}}});
    time_ = 1500;
  }
  const auto all = report();
  EXPECT_EQ(function(all, 7).sparks, 640);
  EXPECT_EQ(function(all, 7).fizzled(), 540);
  EXPECT_EQ(function(all, 8).sparks, 450);
  EXPECT_FALSE(function(all, 8).sampled);
  EXPECT_EQ(function(all, 9).sparks, 20);
  EXPECT_EQ(function(all, 9).fizzled(), 0);
  const auto json = report_json(all);
  for (const auto& each : json["functions"])
    EXPECT_EQ(each["sparks"].is_null(), each["short"] == "code 8") << each;
  const auto table = report_table(all);
  EXPECT_NE(table.find("code 8                                   -         -         -       450"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("fizzled: about"), std::string::npos) << table;
}

TEST_F(ReportTest, SparksOfOneFunctionAreCountedNotEstimated) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    log.set_offset(-500);
    write_sparks(log, {{7, {1100, 100}}});
    time_ = 1500;
  }
  EXPECT_EQ(function(report(), 7).sparks, 1100);
  EXPECT_EQ(report_table(report()).find("about, as"), std::string::npos);
}

TEST_F(ReportTest, WhatRanOverTimeAddsUp) {
  write_two();
  const auto all = report();
  const auto sum = [](const OverTime::Sums& sums, std::size_t from, std::size_t to) {
    return std::accumulate(sums.begin() + static_cast<std::ptrdiff_t>(from),
                           sums.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
  };
  EXPECT_EQ(all.over_time.length(), 10);
  const auto& root = all.over_time.ran().at(root_code);
  EXPECT_DOUBLE_EQ(sum(root, 0, 40), 400);
  EXPECT_DOUBLE_EQ(sum(root, 40, 91), 0);
  EXPECT_DOUBLE_EQ(sum(root, 91, 100), 90);
  const auto& seventh = all.over_time.ran().at(7);
  EXPECT_DOUBLE_EQ(sum(seventh, 31, 80), 490);
  EXPECT_DOUBLE_EQ(sum(seventh, 0, 100), 490);
  EXPECT_EQ(all.over_time.exported()[20], 1);
  EXPECT_EQ(all.over_time.imported()[31], 1);
  EXPECT_EQ(sum(all.over_time.converted(), 0, 100), 0);
  EXPECT_DOUBLE_EQ(sum(all.over_time.made(), 0, 40), 3);
  EXPECT_DOUBLE_EQ(sum(all.over_time.made(), 40, 100), 0);

  const auto json = report_json(all)["over_time"];
  EXPECT_EQ(json["running"].size(), 2U);
  EXPECT_DOUBLE_EQ(json["running"][0]["threads"][50].get<double>() +
                       json["running"][1]["threads"][50].get<double>(),
                   1);
  EXPECT_DOUBLE_EQ(json["exported"][20].get<double>() * json["seconds"].get<double>(), 1);
}

TEST_F(ReportTest, WorkersTimeIsDividedWithoutARest) {
  write_two();
  const auto shares = report().facts.shares;
  EXPECT_NEAR(shares.busy, 0.49, 1e-9);
  EXPECT_NEAR(shares.busy + shares.gc + shares.between + shares.idle(), 1, 1e-9);
  EXPECT_NEAR(shares.between, 0, 0.011);
  EXPECT_GT(shares.blocked, 0.2) << "PE 0, from 400 to 900";
}

// So many bytes, sent and received then, in us.
struct Passage {
  std::uint32_t bytes;
  Nanos sent, received;
};

/// Between two clusters, from PE 0 to PE 1, in 20 ms.
void write_passages(trace::Setup from, trace::Setup to, Nanos& time,
                    const std::vector<Passage>& all) {
  from.cluster = "a";
  to.cluster = "b";
  time = 500;
  Log out(from);
  Log in(to);
  for (Log* log : {&out, &in}) log->set_offset(-500);
  const auto note = [&](Log& log, Kind kind, Nanos micros, const Passage& one) {
    time = 500 + 1000 * micros;
    log.message(kind, kind == Kind::message_sent ? 1 : 0, 3, one.bytes);
  };
  for (const auto& one : all) note(out, Kind::message_sent, one.sent, one);
  for (const auto& one : all) note(in, Kind::message_received, one.received, one);
  time = 500 + 20'000'000;
}

TEST_F(ReportTest, WhatALinkCarriesIsSeenFromItsLongMessages) {
  write_passages(setup(0, 2), setup(1, 2), time_,
                 {{100, 0, 100}, {5100, 1000, 6100}, {5100, 2000, 11'200}, {200, 12'000, 12'300}});
  const auto all = report();
  ASSERT_EQ(all.messages.links.size(), 1U);
  const auto& link = all.messages.links[0];
  EXPECT_NEAR(link.carries, 1e6, 1) << "the second had to wait for the first";
  EXPECT_NEAR(link.busy, (5 + 5.1 + 0.3) / 20, 1e-6);
  EXPECT_NE(report_table(all).find("1.0 MB   52 %"), std::string::npos) << report_table(all);
}

TEST_F(ReportTest, OfShortOrQuickMessagesItIsNot) {
  write_passages(setup(0, 2), setup(1, 2), time_, {{100, 0, 100}, {900, 1000, 1200}});
  EXPECT_EQ(report().messages.links.at(0).carries, 0);
  write_passages(setup(0, 2), setup(1, 2), time_, {{100, 0, 100}, {5100, 1000, 1090}});
  EXPECT_EQ(report().messages.links.at(0).carries, 0);
  EXPECT_TRUE(report_json(report())["links"][0]["busy"].is_null());
}

TEST_F(ReportTest, MessagesAreMeasuredFromEndToEnd) {
  write_two();
  const auto messages = report().messages;
  EXPECT_EQ(messages.seen, 2U);
  ASSERT_EQ(messages.links.size(), 1U);
  EXPECT_EQ(messages.links[0].bytes, 180U);
  EXPECT_EQ(messages.links[0].slow, 110);
  const auto& over_time = messages.links[0].over_time;
  ASSERT_EQ(over_time.size(), trawl::profile::Link::parts);
  EXPECT_EQ(over_time[19].bytes, 120U) << "the first one was sent at 200 of 1000 ns";
  EXPECT_NEAR(messages.links[0].rate, 120 / 10e-9, 1e-2 * 120 / 10e-9);
  ASSERT_EQ(messages.drawn.size(), 2U);
  EXPECT_EQ(messages.drawn[0].begin, 200);
  EXPECT_EQ(messages.drawn[0].length(), 100);
}

TEST_F(ReportTest, CollectionsAndThoseWhoAreGoneAreInIt) {
  write_known();
  {
    time_ = 500;
    Log log(setup(0, 4));
    log.set_offset(-500);
    note(log, 100, Kind::gc_begin);
    note(log, 400, Kind::gc_end);
    note(log, 700, Kind::pe_lost, 2);
    note(log, 800, Kind::pe_lost, 99);  // nonsense
    note(log, 900, Kind::pe_left, 3);
    time_ = 1500;
  }
  const auto all = report();
  ASSERT_EQ(all.changes.size(), 2U);
  EXPECT_EQ(all.changes[0].pe, 2);
  EXPECT_EQ(all.changes[0].time, 700);
  EXPECT_EQ(name_of(all.changes[0].what), "lost");
  EXPECT_EQ(all.changes[1].pe, 3);
  EXPECT_EQ(name_of(all.changes[1].what), "left");
  EXPECT_NEAR(all.facts.shares.gc, 0.3, 1e-9);
}

TEST_F(ReportTest, BinsHoldAllTheTime) {
  write_two();
  const auto all = report();
  ASSERT_EQ(all.lanes.size(), 2U);
  double ran = 0;
  for (const auto& bin : all.lanes[1].bins) ran += bin.ran;
  EXPECT_NEAR(ran, 490, 0.1);
  EXPECT_EQ(all.slices.size(), 3U);
  EXPECT_EQ(bins_for(2), 16384U);
  EXPECT_EQ(bins_for(1000), 512U);
  EXPECT_EQ(bins_for(1'000'000), 256U);
}

TEST(Longest, EverythingUntilItIsTooMuch) {
  Longest<Slice> kept(4, 100);
  for (int i = 0; i < 100; ++i) kept.add(static_cast<std::size_t>(i % 4), {i, i + 1 + i % 7});
  EXPECT_EQ(kept.take().size(), 100U);
}

TEST(Longest, OfEachPartTheLongest) {
  Longest<Slice> kept(4, 100);
  for (int i = 0; i < 100'000; ++i) {
    const bool is_long = i % 1000 == 0;
    kept.add(static_cast<std::size_t>(i / 25'000), {i, i + (is_long ? 100 : 1)});
  }
  const auto all = kept.take();
  EXPECT_EQ(all.size(), 100U);
  EXPECT_EQ(kept.seen(), 100'000U);
  EXPECT_TRUE(
      std::all_of(all.begin(), all.end(), [](const Slice& s) { return s.length() == 100; }));
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Slice& a, const Slice& b) { return a.begin < b.begin; }));
}

TEST(PackedNumbers, AreBase64) {
  const auto text = [](const std::string& bytes) {
    return base64(std::as_bytes(std::span(bytes.data(), bytes.size())));
  };
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("f"), "Zg==");
  EXPECT_EQ(text("fo"), "Zm8=");
  EXPECT_EQ(text("foo"), "Zm9v");
  EXPECT_EQ(text("foobar\xFF"), "Zm9vYmFy/w==");
}

TEST_F(ReportTest, WhateverALogHoldsStaysText) {
  write_two();
  std::vector<std::string> names(7, "code");
  names.push_back(
      "evil</script><script>fetch('http://x')</script><!--{{style}}\xFF\xC3 \x1B[1m\"\\");
  write_codes(names);
  const auto text = page();
  EXPECT_EQ(text.find("evil<"), std::string::npos);
  EXPECT_EQ(text.find("<script>fetch"), std::string::npos);
  EXPECT_EQ(text.find("evil</"), std::string::npos);
  const auto data = data_of(text);
  const auto& functions = data.at("report").at("functions");
  const bool is_there = std::any_of(functions.begin(), functions.end(), [](const auto& each) {
    return each.at("function")
               .template get<std::string>()
               .find("evil</script><script>fetch('http://x')</script><!--{{style}}\xEF\xBF\xBD") ==
           0;
  });
  EXPECT_TRUE(is_there) << "it is what it was, but for what is no UTF-8";
  const auto table = report_table(report());
  EXPECT_NE(table.find("evil"), std::string::npos);
  EXPECT_EQ(table.find('\x1B'), std::string::npos) << "a terminal would obey";
  EXPECT_TRUE(nlohmann::json::accept(nlohmann::json(table).dump()));
}

TEST_F(ReportTest, PageNeedsNothingElse) {
  write_two();
  const auto text = page();
  for (const auto* word : {"https:", "src=", "@import", "url(", "fetch("})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  EXPECT_EQ(text.find("{{"), std::string::npos);
  const auto data = data_of(text);
  EXPECT_EQ(data["rows"].size(), 2U);
  EXPECT_EQ(data["lanes"].size(), 2U);
  EXPECT_EQ(data["slices"]["count"], 3);
}

TEST_F(ReportTest, PageThatCanNotBeWrittenIsAnErrorOfUsage) {
  write_two();
  const auto found = run();
  try {
    write_page(found, report_of(found), {}, {}, (dir_ / "no/such/place.html").string());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_NE(std::string(error.what()).find("--html"), std::string::npos) << error.what();
  }
}

TEST_F(ReportTest, EveryTruncationIsDrawn) {
  write_two();
  const auto good = contents(1);
  for (std::size_t size = trace::header_size; size < good.size(); size += 20) {
    overwrite(good.substr(0, size), 1);
    const auto all = report();
    EXPECT_NEAR(all.facts.shares.busy + all.facts.shares.gc + all.facts.shares.between +
                    all.facts.shares.idle(),
                1, 1e-6);
    EXPECT_FALSE(report_table(all).empty());
  }
  overwrite(good.substr(0, good.size() / 2), 1);
  EXPECT_GE(data_of(page())["damage"].size(), 1U);
}

TEST_F(ReportTest, NumbersAreTheSameInJsonAndInWords) {
  write_two();
  const auto all = report();
  const auto json = report_json(all);
  EXPECT_EQ(json["words"], in_words(all.facts, all.findings));
  EXPECT_EQ(json["critical_path"]["from_pe_to_pe"], 2);
  EXPECT_EQ(json["functions"].size(), 2U);
  const auto table = report_table(all);
  EXPECT_NE(table.find("code 7"), std::string::npos) << table;
  EXPECT_NE(table.find("2 times from PE to PE"), std::string::npos) << table;
  int all_of_it = 0;
  std::istringstream path(table.substr(table.find("critical path: ")));
  for (std::string word, before; path >> word && word != "times"; before = word)
    if (word.starts_with('%')) all_of_it += std::stoi(before);
  EXPECT_NEAR(all_of_it, 100, 2) << table;
}

}  // namespace
