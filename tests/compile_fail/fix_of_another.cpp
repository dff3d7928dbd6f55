// expect: trawl: the first parameter of a function for fix is a Lazy of its result.
#include <trawl/trawl.hpp>

long length(trawl::Lazy<double> self) {
  return self ? 1 : 0;
}

int main() {
  trawl::force(trawl::fix<length>());
}
