// Where thunks can be placed: what a skeleton knows of the PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "node.hpp"

namespace trawl::sched {

/// A PE, as a skeleton sees it.
struct Site {
  int pe = 0;
  double strength = 1;  ///< speed x workers, relative, > 0
  int workers = 1;
  std::uint32_t cluster = 0;
  double memory = std::numeric_limits<double>::infinity();  ///< bytes that its heap may take
};

/// What the tables know of the way between two PEs; what they don't know is guessed.
struct Way {
  double latency = 0;         ///< ns, one way
  double bytes_per_nano = 1;  ///< also the guess
};

/// For the event log: what was decided about a step of skeletons.
struct Decision {
  double before = 0;  ///< ns that a step is predicted to take where the shards are
  double after = 0;   ///< and where they would be
  double bytes = 0;   ///< that would move
  bool moves = false;

  /// Of one PE. Shares are of the load.
  struct Part {
    int pe = 0;
    double before = 0;
    double after = 0;
    std::uint32_t come = 0;  ///< shards from others
  };
};

/// The living PEs, in the order of their clusters. Throws Error outside of a run.
std::vector<Site> sites();
/// The PE under the calling code. Throws Error outside of a run.
int pe_here();
/// How many workers that has.
int workers_here();
Way way_between(int from, int to);
void note_decision(const Decision& decision, std::span<const Decision::Part> parts);

/// Where a thread stood when something began of which the cost is asked.
struct CostMark {
  std::int64_t used = 0;
  std::int64_t told = 0;
};

/// What a shard costs, in ns: what the running thread had of the processor since `begun`, without
/// collections and what else was asked about meanwhile, and by what a worker gets of a core where a
/// PE has less than one for each. It does not depend on who else is busy on the host.
CostMark begin_cost();
std::int64_t cost_since(const CostMark& begun);
/// What the running thread has had of the processor so far, in ns; and what another has used for
/// this one.
std::int64_t used_here();
void add_used(std::int64_t used);

/// Has an unevaluated thunk evaluated by that PE; its value comes home unasked. Of a thunk that is
/// not `Placed` (code.hpp) it makes a spark there. If that PE is lost, this one evaluates it.
/// Throws Error outside of a run.
void place(heap::Node* node, int pe);

/// After how many skeletons, at the least, data that may be lost with their PE get a copy on
/// another; 0: never.
int skeletons_between_copies();
/// ... and so that copies which take so many ns take only a small share of the time. `last`: when
/// the last were begun, or the first time that this was asked; 0 before. It becomes now if it is
/// time.
bool is_time_for_copies(double takes, std::int64_t& last);
/// What it takes, in ns a byte, to have memory that nobody here had before; simulated, nothing.
double time_of_new_memory();
bool is_lost(int pe);
/// About what a step of the data that are worked on takes on a PE.
void note_size(double bytes);
/// Before they are placed, where that is survived: what is needed to make steps again is kept from
/// now on, but not what they are made from. Behind each come those of them that it is made from.
/// `pes`: where each goes; `group_of`: makes a thunk that evaluates others, and is placed as they
/// were to be.
void note_recipes(std::span<heap::Node* const> steps, std::span<const int> pes,
                  heap::Node* (*group_of)(std::span<heap::Node* const>));
/// There is a copy of this one, or it can't be lost: `same`, a thunk, makes the same from it.
void keep_step(heap::Node* step, heap::Node* same);
/// Where deaths are survived: if the value of `node` is lost, `source`, a thunk, makes it again
/// (nullptr: nothing does), and what it came from is no longer kept for that. False, and nothing
/// has changed: it has no value yet, as far as is known here.
bool also_from(heap::Node* node, heap::Node* source);

/// Brings here what the value of `node` refers to, and what that does, and so on. False: not all is
/// evaluated, as far as is known where it was seen last, or is lost; nothing is evaluated for it.
/// With `all_evaluated` the caller knows that all of it is.
bool gather(heap::Node* node, bool all_evaluated);

}  // namespace trawl::sched
