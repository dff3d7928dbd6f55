// Skeletons over distributed data (Alt, Mueller and Gorlatch): what is done to data that lie in
// shards on all PEs. `#include <trawl/dist.hpp>` beside trawl.hpp.
#pragma once

#include <trawl/dist/apply.hpp>
#include <trawl/dist/essential.hpp>
#include <trawl/dist/evenly.hpp>
#include <trawl/dist/exchange.hpp>
#include <trawl/dist/file.hpp>
#include <trawl/dist/holding.hpp>
#include <trawl/dist/map.hpp>
#include <trawl/dist/map_reduce.hpp>
#include <trawl/dist/rebalance.hpp>
#include <trawl/dist/reduce.hpp>
#include <trawl/dist/sequence.hpp>
#include <trawl/dist/sort.hpp>
#include <trawl/dist/stencil.hpp>
