// expect: trawl: a value of this type can't travel to another PE
#include <mutex>

#include <trawl/trawl.hpp>

long f(const std::mutex&) {
  return 1;
}

int main() {
  std::mutex m;
  auto x = trawl::lazy<f>(m);
  return static_cast<int>(trawl::force(x));
}
