// expect: trawl: the function can't be called with these arguments.
#include <vector>

#include <trawl/trawl.hpp>

long f(const std::vector<long>& v) {
  return static_cast<long>(v.size());
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(3)));
}
