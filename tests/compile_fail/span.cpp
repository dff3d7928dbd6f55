// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <span>
#include <vector>

#include <trawl/trawl.hpp>

long f(std::span<const long> s) {
  return s[0];
}

int main() {
  const std::vector<long> v{1};
  auto x = trawl::spawn<f>(v);
  return static_cast<int>(x.sync());
}
