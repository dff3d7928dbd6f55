// expect: trawl: compare values: force(a) < force(b).
#include <set>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  std::set<trawl::Lazy<long>> all;
  all.insert(trawl::lazy<f>(1L));
}
