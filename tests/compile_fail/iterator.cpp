// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <vector>

#include <trawl/trawl.hpp>

long f(std::vector<long>::const_iterator i) {
  return *i;
}

int main() {
  const std::vector<long> v{1};
  return static_cast<int>(trawl::force(trawl::lazy<f>(v.begin())));
}
