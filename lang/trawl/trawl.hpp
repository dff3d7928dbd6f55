// Trawl: par-annotated C++ on a virtual shared heap. This is all that a program includes.
#pragma once

#if __cplusplus < 202002L
#error "trawl: Trawl needs C++20; compile with -std=c++20."
#else

#include <trawl/blocking.hpp>
#include <trawl/bound.hpp>
#include <trawl/buffers.hpp>
#include <trawl/containers.hpp>
#include <trawl/exception.hpp>
#include <trawl/fix.hpp>
#include <trawl/inline/work.hpp>
#include <trawl/lazy.hpp>
#include <trawl/list.hpp>
#include <trawl/maps.hpp>
#include <trawl/numbers.hpp>
#include <trawl/run.hpp>
#include <trawl/shared.hpp>
#include <trawl/spawn.hpp>
#include <trawl/spawn_some.hpp>
#include <trawl/strategies.hpp>

/// What a program says: lazy values (lazy, par, force), spawn and sync, strategies, run. `detail`
/// and what else lies in it is the runtime's.
namespace trawl {}

#endif
