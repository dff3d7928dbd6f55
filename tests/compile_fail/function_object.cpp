// expect: trawl: a std::function can't travel to another PE
#include <functional>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  const std::function<long(long)> g = f;
  return static_cast<int>(trawl::force(trawl::lazy(g, 1L)));
}
