// Grids whose PEs die, or leave, at given messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/spawn.hpp>

#include "rts/inline/error.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/grid_weights.hpp"

namespace trawl::test {

/// How many random graphs a test goes through.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline const std::uint64_t graphs = 40;
#else
inline const std::uint64_t graphs = std::getenv("TRAWL_TEST_TORTURE") != nullptr ? 20 : 400;
#endif

/// Deaths are noticed a little later.
inline Simulation::Config dying_grid_of(int pes) {
  Simulation::Config config;
  config.net.pes = pes;
  config.net.notice = 100'000;
  config.options.stack_size = std::size_t{256} << 10U;
  return config;
}

/// Distributed data get copies after every so many skeletons.
inline Simulation::Config grid_with_copies(int pes, int copies) {
  auto config = dying_grid_of(pes);
  config.options.copies = copies;
  config.options.copy_share = 0;
  return config;
}

/// A spawned call a call.
inline long fib(long n) {
  Simulation::work(10'000);
  if (n < 2) return n;
  auto x = spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

// For skeletons.
inline long squared(std::size_t i) {
  Simulation::work(1'000);
  return static_cast<long>(i * i);
}
inline long same(long x) {
  return x;
}
inline long added(long x, long y) {
  Simulation::work(100);
  return x + y;
}

using Cases = heap::SharedHeap::Cases;

struct CaseName {
  std::uint64_t Cases::*count;
  const char* name;
};
inline constexpr CaseName case_names[] = {
    {&Cases::exported, "exported"},
    {&Cases::moved, "moved"},
    {&Cases::by_value, "by_value"},
    {&Cases::by_copy, "by_copy"},
    {&Cases::by_recipe, "by_recipe"},
    {&Cases::by_argument, "by_argument"},
    {&Cases::by_thunk, "by_thunk"},
    {&Cases::otherwise, "otherwise"},
    {&Cases::giver, "giver"},
    {&Cases::lost, "lost"},
    {&Cases::reverted, "reverted"},
    {&Cases::fetched, "fetched"},
    {&Cases::dropped, "dropped"},
    {&Cases::orphaned, "orphaned"},
    {&Cases::duplicate, "duplicate"},
    {&Cases::forwarded, "forwarded"},
    {&Cases::relayed, "relayed"},
    {&Cases::not_there, "not_there"},
    {&Cases::handed_back, "handed_back"},
    {&Cases::formerly, "formerly"},
};

/// Who sends a message, or was to get it, dies with it, or is told to leave.
struct Death {
  std::uint64_t message;  ///< its number, in the order of sending
  bool sender;
  bool sent;  ///< it has still left
  bool leaves = false;
  bool all = false;  ///< all but the main PE do, that have not yet
};

/// How runs ended, in sum.
struct Tally {
  std::uint64_t messages = 0;
  std::uint64_t deaths = 0;
  std::uint64_t told_to_leave = 0;
  std::uint64_t left = 0;            ///< in time
  std::uint64_t revived = 0;         ///< thunks
  std::uint64_t corrected = 0;       ///< slots of which the dead had a share
  std::uint64_t not_made_again = 0;  ///< runs that failed: what they needed was lost
  Cases cases{};

  void add(const Tally& more) {
    messages += more.messages;
    deaths += more.deaths;
    told_to_leave += more.told_to_leave;
    left += more.left;
    revived += more.revived;
    corrected += more.corrected;
    not_made_again += more.not_made_again;
    for (const auto& each : case_names) cases.*each.count += more.cases.*each.count;
  }
  std::string text() const {
    std::string all = std::to_string(deaths) + " deaths, " + std::to_string(not_made_again) +
                      " not made again, " + std::to_string(left) + " of " +
                      std::to_string(told_to_leave) + " left, " + std::to_string(revived) +
                      " revived, " + std::to_string(corrected) + " slots corrected";
    for (const auto& each : case_names)
      all += ", " + std::string(each.name) + " " + std::to_string(cases.*each.count);
    return all;
  }
};

/// All but the main PE die; gives how many that are.
inline std::uint64_t kill_others(Simulation& grid) {
  std::uint64_t killed = 0;
  for (int pe = 1; pe < grid.size(); ++pe) {
    if (grid.net().is_dead(pe)) continue;
    grid.net().kill(pe);
    ++killed;
  }
  return killed;
}

/// All but the main PE are told to leave, if they have not been; gives how many that are.
inline std::uint64_t send_others_away(Simulation& grid) {
  std::uint64_t told = 0;
  for (int pe = 1; pe < grid.size(); ++pe) {
    if (grid.has_ended(pe) || grid.pe(pe).leaves()) continue;
    grid.pe(pe).leave();
    ++told;
  }
  return told;
}

/// Runs `root`, which checks its answer, to its end while PEs die or leave. It may fail only with
/// the one sentence that says that something can't be made again.
inline Tally run_dying(Simulation::Config config, const std::vector<Death>& deaths,
                       const std::function<void()>& root) {
  Tally tally;
  Simulation* grid = nullptr;
  config.net.lose = [&](int from, int to, std::span<const std::byte>) {
    const auto number = tally.messages++;
    for (const auto& death : deaths) {
      if (death.all && death.message == number && grid != nullptr) {
        if (death.leaves) {
          tally.told_to_leave += send_others_away(*grid);
          continue;
        }
        tally.deaths += kill_others(*grid);
        return !death.sent;
      }
      const int who = death.sender ? from : to;
      if (death.message != number || who == 0 || grid == nullptr) continue;
      if (death.leaves) {
        ++tally.told_to_leave;
        grid->pe(who).leave();
        continue;
      }
      if (!grid->net().is_dead(who)) ++tally.deaths;
      grid->net().kill(who);
      if (!death.sent) return true;
    }
    return false;
  };
  Simulation simulation(config);
  grid = &simulation;
  try {
    constexpr Nanos long_enough = 600'000'000'000;
    simulation.run(root, long_enough);
    simulation.settle(long_enough);
    expect_weights_conserved(simulation);
    EXPECT_EQ(simulation.finish(3).code, 3);
  } catch (const Error& e) {
    ++tally.not_made_again;
    const std::string why = e.what();
    EXPECT_NE(why.find("was lost with a PE, and can't be made again"), std::string::npos) << why;
  }
  const auto count = [&](int pe, Count what) {
    return simulation.pe(pe).statistics()[static_cast<std::size_t>(what)];
  };
  tally.left = count(0, Count::pes_left);
  for (int pe = 0; pe < simulation.size(); ++pe) {
    tally.revived += count(pe, Count::thunks_revived);
    tally.corrected += count(pe, Count::slots_corrected);
    const auto& cases = simulation.pe(pe).shared_heap().cases();
    for (const auto& each : case_names) tally.cases.*each.count += cases.*each.count;
  }
  return tally;
}

/// The same, once for every fifth message, with one of its ends: all of them take minutes.
inline Tally run_dying_at_some_messages(const Simulation::Config& config,
                                        const std::function<void()>& root) {
  Tally sum;
  const auto messages = run_dying(config, {}, root).messages;
  for (std::uint64_t i = 0; i < messages && !testing::Test::HasFailure(); i += 5) {
    SCOPED_TRACE("message " + std::to_string(i));
    sum.add(run_dying(config, {{i, i % 2 == 0, i % 3 == 0}}, root));
  }
  return sum;
}

/// The same, once for each message and for each of its ends.
inline Tally run_dying_at_each_message(const Simulation::Config& config,
                                       const std::function<void()>& root) {
  Tally sum;
  const auto messages = run_dying(config, {}, root).messages;
  for (std::uint64_t i = 0; i < 4 * messages && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("message " + std::to_string(i / 4) + ", " + std::to_string(i % 4));
    sum.add(run_dying(config, {{i / 4, i % 2 == 0, i % 4 < 2}}, root));
  }
  return sum;
}

}  // namespace trawl::test
