// Work goes where its data are: what a thunk needs of the PE on which it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "rts/heap/global_address_table.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// Do the arguments of a thunk that the caller has claimed, and the values here that they refer to,
/// take so many bytes (64 KiB) that it stays with them, and `pe`, who needs it, gets its value?
/// What `pe` is known to have a copy of counts nothing, nor does what lies elsewhere. Writes no
/// more than that, so it takes microseconds at most.
bool has_baggage(Node* thunk, const GlobalAddressTable& addresses, std::uint32_t pe);

/// The PE on which most of the large values lie that such a thunk refers to, itself or by values
/// here; nothing: there are none elsewhere, or as many here. `will_be` says where the large parts
/// of a value are going to be that is still being made.
std::optional<std::uint32_t> place_of_data(
    Node* thunk, const GlobalAddressTable& addresses,
    const std::function<std::optional<std::uint32_t>(Node*)>& will_be);

}  // namespace trawl::heap
