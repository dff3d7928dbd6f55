// Work goes where its data are: what a thunk needs of the PE on which it lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rts/heap/global_address_table.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// Do the arguments of a thunk that the caller has claimed, and the values here that they refer to,
/// take more than so many bytes? What `pe` is known to have a copy of counts nothing, nor does what
/// lies elsewhere. Writes no more than that, so it takes microseconds at most.
bool has_baggage(Node* thunk, std::size_t more_than, const GlobalAddressTable& addresses,
                 std::uint32_t pe);

}  // namespace trawl::heap
