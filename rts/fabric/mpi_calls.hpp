// MPI's own words where it fails, and how all PEs that it has started show each other their cards.
#pragma once

#include <vector>

#include <mpi.h>

#include "rts/fabric/neighbours.hpp"

namespace trawl::fabric {

/// Throws Error with MPI's own words if `code` is not success.
void check(int code, const char* doing);
void check(int code, const char* doing, int pe);

/// All PEs' cards, by PE. To be called by all PEs together; who waits leaves his core to others.
std::vector<Card> exchange_cards(MPI_Comm world, const Card& own);

}  // namespace trawl::fabric
