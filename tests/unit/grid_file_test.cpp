#include "rts/fabric/grid_file.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_grid(text, "my.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_code(), 2);
    return e.what();
  }
  return "";
}

const std::string two = R"({"clusters": [{"name": "a", "pes": 2}, {"name": "b", "pes": 3}],
  "between": {"latency": "100 ms", "bandwidth": "100 KB/s"})";

TEST(GridFile, PesAreNumberedInTheOrderOfClusters) {
  const auto grid = parse_grid(two + "}", "my.json");
  EXPECT_EQ(grid.pes(), 5);
  EXPECT_EQ(grid.cluster_of(1), 0);
  EXPECT_EQ(grid.cluster_of(2), 1);
  EXPECT_EQ(grid.cluster_of(4), 1);
  EXPECT_EQ(grid.link(0, 1).line.latency, 100'000'000);
  EXPECT_DOUBLE_EQ(grid.link(1, 0).line.bytes_per_nano, 1e-4);
}

TEST(GridFile, ALinkMayBeOfOneDirection) {
  const auto grid =
      parse_grid(two + R"(, "links": [{"from": "a", "to": "b", "latency": "1 s"}]})", "my.json");
  EXPECT_EQ(grid.link(0, 1).line.latency, 1'000'000'000);
  EXPECT_EQ(grid.link(1, 0).line.latency, 100'000'000);
  EXPECT_DOUBLE_EQ(grid.link(0, 1).line.bytes_per_nano, 1e-4);
}

TEST(GridFile, ErrorsNameFilePlaceAndCure) {
  EXPECT_EQ(refusal("{\n \"clusters\": [,]}"),
            "my.json: line 2, column 15: this is not JSON: unexpected ','; expected '[', '{', or a "
            "literal");
  EXPECT_EQ(refusal(std::string(R"({"clusters": [{"name": "a", "pes": 2}]})") + '\0' + "{"),
            "my.json: this is not JSON: it has a byte that is 0");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "\u001b[31m", "pes": 2}]})"),
            "my.json: clusters[0].name: a name has no control characters");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 2, "latency": "0x10 ms"}]})"),
            "my.json: clusters[0].latency: '0x10 ms' is no time: write it as in \"100 ms\"");
  EXPECT_EQ(refusal("{}"), "my.json: 'clusters' is missing");
  EXPECT_EQ(refusal(R"({"clusters": []})"), "my.json: clusters: a grid has at least one cluster");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 0}]})"),
            "my.json: clusters[0].pes: 0 is not between 1 and 1048576");
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "c"]}]})"),
            "my.json: links[0].between[1]: there is no cluster 'c'");
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "b"], "latency": "5"}]})"),
            "my.json: links[0].latency: '5' is no time: write it as in \"100 ms\"");
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "b"], "bandwidth": "0 B/s"}]})"),
            "my.json: links[0].bandwidth: a bandwidth is at least 1 B/s");
  EXPECT_EQ(refusal(two + R"(, "link": []})"),
            "my.json: there is no 'link' here; there can be about, clusters, between, links, "
            "random_changes, speed_changes, joins, deaths");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 1e999}]})"),
            "my.json: clusters[0].pes: this number is too large");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 1}, {"name": "b", "pes": 1}]})"),
            "my.json: 'between' is missing: what is between any two clusters");
  EXPECT_EQ(
      refusal(R"({"clusters": [{"name": "a", "pes": 1048576}, {"name": "b", "pes": 1}]})"),
      "my.json: clusters[1].pes: a grid has at most 1048576 PEs, and those before are as many");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": "x\ny\u0000z"}]})"),
            "my.json: clusters[0].pes: this has to be a number");
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "c\n\u0000\u001b"]}]})"),
            "my.json: links[0].between[1]: there is no cluster 'c"
            "?"
            "?"
            "?'");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 1}, {"name": "a", "pes": 1}]})"),
            "my.json: clusters[1]: there is a cluster of that name already");
  EXPECT_EQ(refusal(two + R"(, "links": [{"from": "a", "to": "b", "missing": true}]})"),
            "my.json: the grid has no way from cluster a to b: too many links are missing");
  EXPECT_EQ(refusal(two + R"(, "links": [{"from": "b", "to": "a", "missing": true}]})"),
            "my.json: the grid has no way from cluster b to a: too many links are missing");
}

TEST(GridFile, WhatComesAgainTakesAMillisecond) {
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "b"], "period": "10 ns",
              "changes": [{"at": "5 ns", "latency": "1 s"}]}]})"),
            "my.json: links[0].period: that is less than 1 ms");
  EXPECT_EQ(refusal(two + R"(, "random_changes": {"every": "999 us"}})"),
            "my.json: random_changes.every: that is less than 1 ms");
}

TEST(GridFile, WhoComesAndGoesIsNotTheMainPe) {
  using What = trawl::fabric::GridChange::What;
  const auto grid = parse_grid(two + R"(, "joins": [{"pe": 3, "at": "2 s"}, {"pe": 4, "at": "2 s"}],
      "deaths": [{"pe": 2, "at": "3 s"}, {"pe": 1, "at": "1 s"}, {"pe": 3, "at": "5 s"}]})",
                               "my.json");
  std::string order;
  for (const auto& [pe, at, what] : grid.changes)
    order += fmt::format("{}{}{} ", what == What::joins ? '+' : 'x', pe, at / 1'000'000'000);
  EXPECT_EQ(order, "x11 +32 +42 x23 x35 ");
  EXPECT_EQ(grid.count(What::joins), 2);
  EXPECT_EQ(grid.count(What::dies), 3);
  for (const std::string list : {"joins", "deaths"})
    EXPECT_EQ(refusal(two + ", \"" + list + R"(": [{"pe": 0, "at": "3 s"}]})"),
              "my.json: " + list + "[0]: 0 is the main PE, which is there as long as the run");
  EXPECT_EQ(refusal(two + R"(, "deaths": [{"pe": 1, "at": "3 s"}, {"pe": 1, "at": "4 s"}]})"),
            "my.json: deaths[1]: PE 1 dies twice");
  EXPECT_EQ(refusal(two + R"(, "deaths": [{"pe": 1}]})"), "my.json: deaths[0]: 'at' is missing");
  EXPECT_EQ(
      refusal(two + R"(, "joins": [{"pe": 4, "at": "3 s"}], "deaths": [{"pe": 4, "at": "3 s"}]})"),
      "my.json: deaths[0]: PE 4 has not joined by then");
}

TEST(GridFile, SeatsOfThoseWhoComeLaterAreTheLastOnes) {
  const std::string rule =
      "those who join are the last PEs, in the order of their numbers and of time: here PE ";
  EXPECT_EQ(refusal(two + R"(, "joins": [{"pe": 2, "at": "3 s"}]})"),
            "my.json: joins[0]: " + rule + "4");
  EXPECT_EQ(refusal(two + R"(, "joins": [{"pe": 3, "at": "3 s"}, {"pe": 4, "at": "2 s"}]})"),
            "my.json: joins[1]: " + rule + "4");
  EXPECT_EQ(refusal(two + R"(, "joins": [{"pe": 4, "at": "3 s"}, {"pe": 3, "at": "4 s"}]})"),
            "my.json: joins[0]: " + rule + "3");
}

TEST(GridFile, NothingIsGivenTwice) {
  const std::string twice = ": this is given twice, and only one can hold";
  EXPECT_EQ(refusal(two + R"(, "between": {"latency": "1 s"}})"), "my.json: between" + twice);
  EXPECT_EQ(refusal(two + R"(, "links": [{"between": ["a", "b"]},
              {"between": ["b", "a"], "changes": [{"at": "1 s"}, {"at": "2 s", "at": "3 s"}]}]})"),
            "my.json: links[1].changes[1].at" + twice);
  EXPECT_EQ(refusal(two + R"(, "links": [{"from": "b", "to": "a"}, {"between": ["a", "b"]}]})"),
            "my.json: links[1]: there is a link from b to a already");
  EXPECT_EQ(refusal(R"({"clusters": [{"name": "a", "pes": 1, "workers": 2, "pes": 1}]})"),
            "my.json: clusters[0].pes" + twice);
}

TEST(GridFile, AFileThatIsNotThereIsNamed) {
  EXPECT_THROW(read_grid_file("no/such/file.json"), Error);
}

}  // namespace
}  // namespace trawl::fabric
