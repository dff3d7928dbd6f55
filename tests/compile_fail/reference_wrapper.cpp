// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <functional>

#include <trawl/trawl.hpp>

long f(std::reference_wrapper<const long> r) {
  return r;
}

int main() {
  const long n = 3;
  return static_cast<int>(trawl::force(trawl::lazy<f>(std::cref(n))));
}
