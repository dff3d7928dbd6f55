// A spark goes to the PE that has the large values it needs, on grids of whole PEs.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/worker.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

using Numbers = std::vector<double>;

constexpr int pes = 4;
constexpr int parts = 12;
constexpr Nanos a_while = 1'000'000;

struct Part {
  Lazy<Numbers> numbers;
  int made_on;
};

Part part(int number) {
  Simulation::work(a_while);
  return {Lazy<Numbers>(Numbers(20'000, number)), Simulation::here()};
}

/// 1 where the numbers were made, else 0.
int is_at_home(Lazy<Numbers> numbers, int made_on) {
  Simulation::work(a_while);
  return force(numbers).size() == 20'000 && made_on == Simulation::here() ? 1 : 0;
}

/// How many sparks of all about numbers made elsewhere were run where these are, and how many were
/// sent there.
struct AtHome {
  int ran = 0;
  int sent = 0;
};
AtHome run_at_home(const std::string& policy, int& of_all) {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.policy = policy;
  Simulation simulation(config);
  AtHome at_home;
  simulation.run([&] {
    std::vector<Lazy<Part>> made;
    for (int i = 0; i < parts; ++i) made.push_back(lazy<part>(i));
    apply(made, par_list(rseq));
    Simulation::work(parts * a_while);
    std::vector<Lazy<int>> sparks;
    for (const auto& each : made)
      if (force(each).made_on != 0)
        sparks.push_back(lazy<is_at_home>(force(each).numbers, force(each).made_on));
    apply(sparks, par_list(rseq));
    Simulation::work(parts * a_while);
    for (const auto& spark : sparks) at_home.ran += force(spark);
    of_all = static_cast<int>(sparks.size());
  });
  simulation.settle();
  at_home.sent = static_cast<int>(
      simulation.pe(0).statistics()[static_cast<std::size_t>(Count::sparks_to_data)]);
  return at_home;
}

// Who has nothing to do fishes some of them.
TEST(NearData, MostSparksRunWhereTheirDataAre) {
  int all = 0;
  const auto at_home = run_at_home("trawl", all);
  EXPECT_GE(4 * at_home.ran, 3 * all);
  EXPECT_GE(all, parts / 2);
  EXPECT_GT(at_home.sent, 0);
  EXPECT_LE(at_home.sent, all);
}

TEST(NearData, NotWithAPolicyThatHasNoSuchThing) {
  int all = 0;
  const auto at_home = run_at_home("targeted", all);
  EXPECT_LT(2 * at_home.ran, all);
  EXPECT_EQ(at_home.sent, 0);
}

TEST(NearData, IsSoughtSeldomWhereItWasInVainForLong) {
  Simulation simulation{Simulation::Config()};
  simulation.run([] {
    auto& worker = sched::worker_here();
    const auto& code = lazy<part>(0).node()->code();
    const auto times = [&](int sparks) {
      int sought = 0;
      for (int i = 0; i < sparks; ++i) sought += worker.seeks_data_of(code) ? 1 : 0;
      return sought;
    };
    EXPECT_EQ(times(256), 256);
    EXPECT_EQ(times(320), 10);
    worker.note_data_of(code);
    EXPECT_EQ(times(256), 256);
  });
}

}  // namespace
}  // namespace trawl
