// expect: trawl: a pointer means nothing on another PE
#include <trawl/trawl.hpp>

const char* f(long) {
  return "x";
}

int main() {
  return *trawl::force(trawl::lazy<f>(1));
}
