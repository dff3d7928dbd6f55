// expect: trawl: a parameter that refers to something its caller can change can't be shared
#include <vector>

#include <trawl/trawl.hpp>

long f(std::vector<long>& v) {
  return v[0];
}

int main() {
  std::vector<long> v{1};
  return static_cast<int>(trawl::force(trawl::lazy<f>(v)));
}
