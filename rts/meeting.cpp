#include "rts/meeting.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "rts/fabric/launcher.hpp"
#include "rts/fabric/mpi.hpp"
#include "rts/fabric/net/net.hpp"
#include "rts/fabric/rehearsal.hpp"
#include "rts/fabric/solo.hpp"
#include "rts/heap/code.hpp"
#include "rts/inline/error.hpp"
#include "rts/leave_signals.hpp"

namespace trawl {
namespace {

// What a PE tells the others of the grid that it rehearses; else it is a digest. Messages are other
// ones there: nobody could read what PEs with different grids said to each other.
constexpr std::uint64_t no_grid = 0;
constexpr std::uint64_t is_in_trouble = 1;  // it will say which, as from PEs without a grid

std::uint64_t grid_of(const Program& program) {
  if (program.trouble) return is_in_trouble;
  if (program.options.grid.empty() || program.asks()) return no_grid;
  const auto digest = fabric::digest_of_grid_file(program.options.grid);
  return digest ? std::max(*digest, is_in_trouble + 1) : is_in_trouble;
}

void refuse_contradictions(const Options& options) {
  const bool by_mpiexec = fabric::pes_by_mpiexec() > 1;
  if (!options.meet.empty() && options.pes == 0 && options.seats == 0 && !by_mpiexec)
    throw Error("how many PEs are to meet there? --trawl:meet needs --trawl:pes=N", 2);
  if (options.meet.empty() && options.join.empty() && options.pes > 1 && !by_mpiexec)
    throw Error(
        "--trawl:pes=" + std::to_string(options.pes) +
            " starts no PEs, but waits for them at --trawl:meet=PORT; on this host they are "
            "started by trawl-run -n " +
            std::to_string(options.pes) + " PROGRAM",
        2);
  // By trawl-run.
  if (const char* said = std::getenv("TRAWL_PES");
      options.meet.starts_with("fd:") && said != nullptr && said != std::to_string(options.pes))
    throw Error("trawl-run -n says how many PEs there are: leave out --trawl:pes", 2);
  if (options.seats > std::max(options.pes, 1) && options.recover == "off")
    throw Error(
        "PEs can join a run only where it survives deaths: leave out --trawl:recover=off, or "
        "--seats",
        2);
}

fabric::NetSetup net_setup(const Program& program) {
  const auto& options = program.options;
  refuse_contradictions(options);
  fabric::NetSetup setup;
  setup.terms.key = fabric::net::read_key(options.key);
  setup.terms.identity =
      fabric::net::own_identity(TRAWL_VERSION, heap::CodeTable::get().digest(),
                                program.trouble ? 0 : flags_digest(options, program.args()));
  setup.terms.sealed = options.encrypt == "on";
  setup.terms.silence = static_cast<Nanos>(options.silence * 1e9);
  setup.join = options.join;
  setup.meet = options.meet;
  setup.pes = std::max(options.pes, 1);
  setup.seats = options.seats;
  if (options.start_wait > 0) setup.wait = static_cast<Nanos>(options.start_wait * 1e9);
  return setup;
}

// Another Trawl program that this one starts is none of them.
void forget_who_meets() {
  for (const char* name : {"TRAWL_MEET", "TRAWL_PES", "TRAWL_SEATS", "TRAWL_JOIN"}) unsetenv(name);
}

}  // namespace

bool goes_by_net(const Options& options) {
  const bool told =
      !options.join.empty() || !options.meet.empty() || options.pes != 0 || options.seats != 0;
  if (told && options.fabric == "mpi")
    throw Error(
        "fabric mpi is started by mpiexec, without --trawl:join, --trawl:meet and "
        "--trawl:pes",
        2);
  return told || options.fabric == "net";
}

fabric::Joined join_others(const Program& program) {
  const auto& options = program.options;
  if (goes_by_net(options)) {
    auto joined = fabric::make_net(net_setup(program), grid_of(program));
    forget_who_meets();
    const bool can_leave = options.recover != "off";
    if (joined.fabric->self() == 0)
      send_others_away_by_signal(can_leave);
    else if (can_leave)
      leave_by_signal();
    return joined;
  }
  auto joined = fabric::under_mpiexec() ? fabric::make_mpi(grid_of(program))
                                        : fabric::Joined{std::make_unique<fabric::Solo>(), {1}};
  fabric::check_launcher(joined.fabric->size());
  return joined;
}

bool all_have_our_grid(const fabric::Joined& joined) {
  const auto& said = joined.said;
  if (std::count(said.begin(), said.end(), is_in_trouble) != 0) return false;
  const auto self = static_cast<std::size_t>(joined.fabric->self());
  for (std::size_t pe = 0; pe < said.size(); ++pe)
    if (said[pe] != said[self])
      throw Error("PE " + std::to_string(pe) + " has another grid file than PE " +
                      std::to_string(self) + ", or none: give all PEs the same by --trawl:grid",
                  2);
  return true;
}

}  // namespace trawl
