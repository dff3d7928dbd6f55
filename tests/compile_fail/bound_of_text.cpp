// expect: trawl: a Bound is of a number that takes 8 bytes at most.
#include <string>

#include <trawl/trawl.hpp>

trawl::Bound<std::string> bound;
