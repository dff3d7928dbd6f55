// Prints the names of all statistics, one a line.
#include <cstdio>
#include <string>

#include "rts/trace/stats.hpp"

int main() {
  for (std::size_t i = 0; i < trawl::counts; ++i)
    std::puts(std::string(trawl::name_of(static_cast<trawl::Count>(i))).c_str());
}
