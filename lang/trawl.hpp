// Trawl: par-annotated C++ on a virtual shared heap. This is all that a program includes.
#pragma once

#include "lang/lazy.hpp"
#include "lang/run.hpp"
#include "lang/spawn.hpp"
#include "lang/strategies.hpp"
