// expect: trawl: what spawn returns stays in its frame
#include <vector>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  std::vector<decltype(trawl::spawn<f>(1L))> all;
  all.push_back(trawl::spawn<f>(1L));
}
