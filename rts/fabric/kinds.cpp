#include "rts/fabric/kinds.hpp"

#include "rts/inline/error.hpp"

namespace trawl::fabric {

void refuse(const Row& row, Phase phase, const Envelope& envelope) {
  if (row.kind == Kind{kinds}) throw BadBytes("it is of unknown kind");
  if (!row.goes(envelope.from, envelope.to))
    throw BadBytes(row.way == Way::from_main ? "only the main PE may send it"
                   : row.way == Way::to_main ? "it is for the main PE"
                                             : "it is between the main PE and another");
  switch (phase) {
    case Phase::joining:
      throw BadBytes("it comes before the PEs know each other");
    case Phase::running:
      throw BadBytes("it comes in the middle of the run");
    case Phase::stopping:
      break;
  }
  throw BadBytes("it comes at the end of the run");
}

}  // namespace trawl::fabric
