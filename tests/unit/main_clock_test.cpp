// Clocks that drift apart: what PEs know of the main PE's during a run.
#include "rts/life/main_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "rts/trace/format.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

/// A PE whose clock is `ahead` of the main PE's at the start, and goes faster by `drift`; all times
/// here are the main PE's.
class Drifting {
 public:
  Drifting(Nanos ahead, double drift) : ahead_(ahead), drift_(drift) {}

  Nanos own(Nanos time) const {
    return time + ahead_ + std::llround(static_cast<double>(time) * drift_);
  }
  void begin(Nanos round_trip, Nanos wrong, bool same = false) {
    clock.begin(same ? 0 : -ahead_ + wrong, round_trip, same, own(0));
  }
  /// A PING is sent, and takes so long there and back.
  void ping(Nanos time, Nanos there, Nanos back) {
    clock.heard(own(time), time + there, own(time + there + back));
  }
  Nanos error(Nanos time) const { return own(time) + clock.offset(own(time)) - time; }

  life::MainClock clock;

 private:
  Nanos ahead_;
  double drift_;
};

TEST(MainClock, IsFollowedBetweenPingsToo) {
  for (const double drift : {0.0, 50e-6, -50e-6, 400e-6}) {
    Drifting pe(7 * second, drift);
    pe.begin(20 * us, 0);
    Nanos worst = 0;
    for (Nanos time = 0; time < 300 * second; time += 50 * ms) {
      if (time % (1250 * ms) == 0) pe.ping(time, 10 * us, 10 * us);
      if (time > 20 * second) worst = std::max(worst, std::abs(pe.error(time)));
    }
    EXPECT_LT(worst, 2 * us) << drift;
  }
}

// What waits on one of the ways seems to show another time.
TEST(MainClock, SlowRoundTripsSayLittle) {
  std::mt19937_64 random(1);
  const auto waits = [&random] {
    return random() % 3 == 0 ? 0 : static_cast<Nanos>(random() % (10 * ms));
  };
  Drifting pe(-3 * second, 50e-6);
  pe.begin(200 * us, 0);
  Nanos worst = 0;
  for (Nanos time = 0; time < 300 * second; time += 1250 * ms) {
    pe.ping(time, 100 * us + waits(), 100 * us + waits());
    if (time > 60 * second) worst = std::max(worst, std::abs(pe.error(time)));
  }
  EXPECT_LT(worst, 300 * us);
}

// All four PINGs at the start had waited on the same way.
TEST(MainClock, AWrongStartIsForgotten) {
  Drifting pe(0, 20e-6);
  pe.begin(4 * ms, 2 * ms);
  for (Nanos time = 0; time < 20 * second; time += 1250 * ms) pe.ping(time, 10 * us, 10 * us);
  EXPECT_LT(std::abs(pe.error(20 * second)), 10 * us);
}

TEST(MainClock, TimesNeverGoBackHoweverWrongItWas) {
  std::mt19937_64 random(2);
  Drifting pe(0, -30e-6);
  pe.begin(1 * ms, 500 * us);
  Nanos last = -second;
  for (Nanos time = 0; time < 60 * second; time += 100 * us) {
    if (time % second == 0) pe.ping(time, 10 * us, static_cast<Nanos>(random() % (20 * ms)));
    const auto now = pe.own(time);
    const auto corrected = now + pe.clock.offset(now);
    ASSERT_GT(corrected, last) << time;
    last = corrected;
  }
}

TEST(MainClock, OneClockIsTheSameWhateverPongsSay) {
  Drifting pe(0, 0);
  pe.begin(20 * us, 0, true);
  for (Nanos time = 0; time < 10 * second; time += second) {
    pe.ping(time, 10 * us, 5 * ms);
    EXPECT_EQ(pe.error(time), 0);
  }
}

// ---- whole runs --------------------------------------------------------------------------------

/// Three PEs: two drift apart, and to one of them messages take longer than from there.
Simulation::Config drifting() {
  Simulation::Config config;
  config.net.pes = 3;
  config.net.drift = {10e-6, 60e-6, -50e-6};
  config.net.latency_between = [](int, int to) { return to == 1 ? 120 * us : 80 * us; };
  config.net.jitter = 20 * us;
  return config;
}

TEST(MainClock, AllPesKeepTheMainPesTime) {
  Simulation simulation(drifting());
  auto& net = simulation.net();
  simulation.run([&] {
    Nanos worst = 0;
    for (int i = 0; i < 300; ++i) {
      Simulation::work(second);
      const auto time = Simulation::clock_here();
      for (int pe = 1; pe < 3; ++pe) {
        const auto own = net.shown(pe, time);
        const auto common = own + simulation.pe(pe).life().main_clock().offset(own);
        if (i > 10) worst = std::max(worst, std::abs(common - net.shown(0, time)));
      }
    }
    EXPECT_LT(worst, 40 * us) << "20 us are one way longer than the other, 20 are jitter";
  });
}

/// When messages of a kind of event were written down, by other PE, kind, size class and number.
std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>, Nanos> messages(
    const std::filesystem::path& file, trace::Kind kind, std::uint32_t other) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text));
  const auto offset = trace::decode(bytes).offset;
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>, Nanos> all;
  for (Reader in(bytes.subspan(trace::header_size)); in.left() != 0;) {
    Reader block(in.slice(in.get<trace::Block>().count * sizeof(trace::Event)));
    while (block.left() != 0) {
      const auto event = block.get<trace::Event>();
      if (event.kind == kind && event.value == other)
        all[{event.size, event.extra, event.id}] = event.time + offset;
    }
  }
  return all;
}

// An arrow from its sender's log to its receiver's is as long as the message took.
TEST(MainClock, EventLogsFitTogetherToTheEnd) {
  const auto dir = std::filesystem::path(testing::TempDir()) / "trawl_drifting";
  auto config = drifting();
  config.options.trace = dir.string();
  {
    Simulation simulation(config);
    simulation.run([] {
      for (int i = 0; i < 120; ++i) Simulation::work(second);
    });
    simulation.finish(0);
  }
  const auto sent = messages(dir / trace::file_name(0), trace::Kind::message_sent, 1);
  const auto received = messages(dir / trace::file_name(1), trace::Kind::message_received, 0);
  int pairs = 0;
  Nanos shortest = second;
  Nanos longest = 0;
  for (const auto& [message, time] : received) {
    const auto from = sent.find(message);
    if (from == sent.end() || time < 20 * second) continue;
    ++pairs;
    shortest = std::min(shortest, time - from->second);
    longest = std::max(longest, time - from->second);
  }
  EXPECT_GT(shortest, 80 * us);
  EXPECT_LT(longest, 200 * us);
  EXPECT_GT(pairs, 50);
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace trawl
