// expect: trawl: restart changes its values
#include <trawl/checkpoint.hpp>
#include <trawl/trawl.hpp>

int root() {
  const long steps = 0;
  return trawl::restart("steps.saved", steps) ? 0 : 1;
}
