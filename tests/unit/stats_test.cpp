// What a PE counts, and how it is told.
#include "rts/trace/stats.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trawl {
namespace {

std::size_t at(Count count) {
  return static_cast<std::size_t>(count);
}

std::vector<std::optional<Statistics>> figures_of(std::size_t pes) {
  std::vector<std::optional<Statistics>> all(pes, Statistics{});
  for (std::size_t pe = 0; pe < pes; ++pe) {
    (*all[pe])[at(Count::sparks_created)] = 100 + pe;
    (*all[pe])[at(Count::busy_time)] = 1'500'000'000;
  }
  return all;
}

std::string line_of(const std::string& text, const std::string& name) {
  const auto begin = text.find("\n" + name + " ");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

TEST(Stats, EachCountHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < counts; ++i) {
    EXPECT_FALSE(name_of(static_cast<Count>(i)).empty());
    names.insert(name_of(static_cast<Count>(i)));
  }
  EXPECT_EQ(names.size(), counts);
}

TEST(Stats, CountersAdd) {
  Counters counters;
  counters.add(Count::fish_sent);
  counters.add(Count::fish_sent, 4);
  counters.set(Count::slots, 9);
  Statistics sum = *figures_of(1)[0];
  add_to(sum, counters);
  add_to(sum, counters);
  EXPECT_EQ(sum[at(Count::fish_sent)], 10u);
  EXPECT_EQ(sum[at(Count::slots)], 18u);
  EXPECT_EQ(sum[at(Count::sparks_created)], 100u);
}

TEST(Stats, TextHasAColumnForEachPe) {
  const auto text = statistics_text(figures_of(3), 2'000'000'000);
  EXPECT_EQ(text.find("trawl statistics: 3 PEs, 2.000 s\n"), 0u) << text;
  EXPECT_EQ(words(line_of(text, "sparks_created")),
            (std::vector<std::string>{"sparks_created", "100", "101", "102", "303"}));
  EXPECT_EQ(words(line_of(text, "busy_time")),
            (std::vector<std::string>{"busy_time", "1.500", "s", "1.500", "s", "1.500", "s",
                                      "4.500", "s"}));
  for (std::size_t i = 0; i < counts; ++i)
    EXPECT_NE(line_of(text, std::string(name_of(static_cast<Count>(i)))), "");
  EXPECT_EQ(statistics_text(figures_of(1), 0).find("trawl statistics: 1 PE, 0.000 s\n"), 0u);
}

TEST(Stats, TextOfManyPesHasTheLeastTheMedianAndTheMost) {
  const auto text = statistics_text(figures_of(65), 0);
  EXPECT_EQ(words(line_of(text, "sparks_created")),
            (std::vector<std::string>{"sparks_created", "100", "132", "164", "8580"}));
}

TEST(Stats, WhoDidNotAnswerIsNamedAndHasNoFigures) {
  auto statistics = figures_of(3);
  statistics[1].reset();
  const auto text = statistics_text(statistics, 0);
  EXPECT_EQ(words(line_of(text, "sparks_created")),
            (std::vector<std::string>{"sparks_created", "100", "-", "102", "202"}));
  EXPECT_NE(text.find("PE 1 did not answer"), std::string::npos) << text;
  EXPECT_EQ(text.find("PE 2 did not answer"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(statistics_json(statistics, 0));
  EXPECT_TRUE(json.at("by_pe").at(1).is_null());
  EXPECT_EQ(json.at("by_pe").at(2).at("sparks_created"), 102);
  EXPECT_EQ(json.at("did_not_answer"), std::vector<int>{1});
  statistics = figures_of(65);
  statistics[64].reset();
  EXPECT_EQ(words(line_of(statistics_text(statistics, 0), "sparks_created")),
            (std::vector<std::string>{"sparks_created", "100", "132", "163", "8416"}));
}

TEST(Stats, JsonHasEverything) {
  const auto json = nlohmann::json::parse(statistics_json(figures_of(20), 2'500'000'000));
  EXPECT_EQ(json["pes"], 20);
  EXPECT_DOUBLE_EQ(json["elapsed_s"].get<double>(), 2.5);
  ASSERT_EQ(json["by_pe"].size(), 20u);
  EXPECT_EQ(json["by_pe"][7]["sparks_created"], 107);
  EXPECT_EQ(json["total"]["sparks_created"], 2190);
  EXPECT_DOUBLE_EQ(json["total"]["busy_time_s"].get<double>(), 30);
  EXPECT_EQ(json["total"].size(), counts);
  for (const auto& pe : json["by_pe"]) EXPECT_EQ(pe.size(), counts);
}

// PE 0 has one worker, PE 1 two.
std::vector<std::optional<Statistics>> figures_with_workers() {
  auto figures = figures_of(2);
  figures[0]->workers = {{6'000'000'000, 2'000'000'000, 500'000'000, 1'500'000'000}};
  figures[1]->workers = {{10'000'000'000, 0, 0, 0}, {0, 0, 0, 10'000'000'000}};
  return figures;
}

TEST(Stats, SharesAreOfAllWorkersTime) {
  const auto text = statistics_text(figures_with_workers(), 1);
  EXPECT_EQ(words(line_of(text, "mutator")),
            (std::vector<std::string>{"mutator", "60.0", "%", "50.0", "%", "53.3", "%"}));
  EXPECT_EQ(words(line_of(text, "collector")),
            (std::vector<std::string>{"collector", "20.0", "%", "0.0", "%", "6.7", "%"}));
  EXPECT_EQ(words(line_of(text, "communication")),
            (std::vector<std::string>{"communication", "5.0", "%", "0.0", "%", "1.7", "%"}));
  EXPECT_EQ(words(line_of(text, "idle")),
            (std::vector<std::string>{"idle", "15.0", "%", "50.0", "%", "38.3", "%"}));
  EXPECT_EQ(words(line_of(text, "PE 1, worker 1")),
            (std::vector<std::string>{"PE", "1,", "worker", "1", "0.0", "%", "0.0", "%", "0.0", "%",
                                      "100.0", "%"}));
  EXPECT_NE(line_of(text, "PE 0, worker 0"), "");
  EXPECT_EQ(line_of(text, "PE 0, worker 1"), "");
}

TEST(Stats, WhereEachPeHasOneWorkerItsColumnSaysItAll) {
  auto figures = figures_with_workers();
  figures[1]->workers.pop_back();
  EXPECT_EQ(statistics_text(figures, 1).find("worker"), std::string::npos);
  figures[1]->workers.resize(100);
  EXPECT_EQ(statistics_text(figures, 1).find("worker"), std::string::npos)
      << "so many nobody reads";
}

TEST(Stats, OfManyPesSharesAreTheLeastTheMedianAndTheMost) {
  auto figures = figures_of(65);
  for (std::size_t pe = 0; pe < figures.size(); ++pe) figures[pe]->workers = {{pe, 0, 0, 64 - pe}};
  figures[64].reset();
  EXPECT_EQ(
      words(line_of(statistics_text(figures, 1), "mutator")),
      (std::vector<std::string>{"mutator", "0.0", "%", "50.0", "%", "98.4", "%", "49.2", "%"}));
}

TEST(Stats, JsonHasTheSharesOfEachWorker) {
  auto figures = figures_with_workers();
  figures.emplace_back();
  const auto shares = nlohmann::json::parse(statistics_json(figures, 1))["shares"];
  ASSERT_EQ(shares["by_pe"].size(), 3u);
  EXPECT_TRUE(shares["by_pe"][2].is_null());
  EXPECT_DOUBLE_EQ(shares["total"]["mutator"].get<double>(), 16.0 / 30);
  EXPECT_DOUBLE_EQ(shares["by_pe"][0]["communication"].get<double>(), 0.05);
  ASSERT_EQ(shares["by_pe"][1]["workers"].size(), 2u);
  const auto& idle = shares["by_pe"][1]["workers"][1];
  EXPECT_DOUBLE_EQ(idle["idle"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(idle["life_s"].get<double>(), 10);
  EXPECT_EQ(idle["mutator"], 0);
}

TEST(Stats, LinksAreShownTheBusiestFirst) {
  std::vector<LinkUse> links{{"a", "b", 3, 400, 100'000'000}, {"b", "a", 7, 900, 1'500'000'000}};
  const auto text = statistics_text(figures_of(1), 2'000'000'000, links);
  EXPECT_EQ(words(line_of(text, "b -> a")),
            (std::vector<std::string>{"b", "->", "a", "900", "7", "75.0", "%"}));
  EXPECT_EQ(words(line_of(text, "a -> b")),
            (std::vector<std::string>{"a", "->", "b", "400", "3", "5.0", "%"}));
  EXPECT_LT(text.find("b -> a"), text.find("a -> b"));
  EXPECT_EQ(text.find("others"), std::string::npos);
  EXPECT_EQ(statistics_text(figures_of(1), 1).find("links"), std::string::npos);

  const auto json = nlohmann::json::parse(statistics_json(figures_of(1), 1, links));
  ASSERT_EQ(json["links"].size(), 2u);
  EXPECT_EQ(json["links"][0]["from"], "a");
  EXPECT_EQ(json["links"][1]["to"], "a");
  EXPECT_EQ(json["links"][1]["messages"], 7);
  EXPECT_EQ(json["links"][1]["bytes"], 900);
  EXPECT_DOUBLE_EQ(json["links"][1]["busy_s"].get<double>(), 1.5);

  links.resize(20);
  EXPECT_NE(statistics_text(figures_of(1), 1, links).find("\n4 others"), std::string::npos);
}

TEST(Stats, APoolThatWasFullSaysSo) {
  auto statistics = figures_of(2);
  EXPECT_EQ(statistics_text(statistics, 1).find("--trawl:spark-pool"), std::string::npos);
  (*statistics[1])[at(Count::sparks_ignored)] = 1;
  EXPECT_NE(statistics_text(statistics, 1).find("--trawl:spark-pool"), std::string::npos);
}

TEST(Stats, MemoryThatWasNearlyFullSaysSo) {
  auto statistics = figures_of(2);
  EXPECT_EQ(statistics_text(statistics, 1).find("--trawl:heap-max"), std::string::npos);
  (*statistics[1])[at(Count::full_time)] = 250'000'000;
  const auto text = statistics_text(statistics, 1);
  EXPECT_NE(text.find("--trawl:heap-max"), std::string::npos);
  EXPECT_EQ(words(line_of(text, "full_time")),
            (std::vector<std::string>{"full_time", "0.000", "s", "0.250", "s", "0.250", "s"}));
}

}  // namespace
}  // namespace trawl
