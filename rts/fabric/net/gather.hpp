// How the PEs of a run find each other: at the main PE, which waits until all have come.
#pragma once

#include <optional>
#include <vector>

#include "rts/fabric/net/door.hpp"
#include "rts/fabric/net/members.hpp"

namespace trawl::fabric::net {

/// All have come, and each knows of all.
struct Gathered {
  int self = 0;
  Endpoint main{};                         ///< where the main PE was met
  bool admits = false;                     ///< may more come, while the run goes on?
  std::vector<Member> members;             ///< by PE; those to come last
  std::vector<std::optional<Link>> links;  ///< by PE: those that there are already
  std::optional<Door> door;                ///< where those come who are still missing
};

/// `patience`: so long others are waited for; `never`.
struct Wait {
  Nanos patience;
};

/// The main PE: waits for `pes - 1` others at this socket, and has `seats`. Throws Error when it
/// was in vain.
Gathered await(Socket listening, int pes, int seats, const Member& own, const Terms& terms,
               Wait wait);

/// Of who has come, in his place: where others find him. Nothing: it can't be read.
std::optional<Member> member_of(const Guest& guest);

/// Any other: goes to where the main PE may be met, and waits there until all have come. Throws
/// Error when it was in vain, or this PE was refused.
Gathered join(const std::vector<Endpoint>& main, Member own, const Terms& terms, Wait wait);

}  // namespace trawl::fabric::net
