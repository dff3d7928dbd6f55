// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <initializer_list>
#include <vector>

#include <trawl/trawl.hpp>

long total(std::initializer_list<long> xs) {
  long sum = 0;
  for (const long x : xs) sum += x;
  return sum;
}

int main() {
  const std::initializer_list<long> xs{1, 2, 3};
  return static_cast<int>(trawl::force(trawl::lazy<total>(xs)));
}
