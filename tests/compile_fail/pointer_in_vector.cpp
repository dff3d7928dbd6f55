// expect: trawl: a value of this type can't travel to another PE
#include <vector>

#include <trawl/trawl.hpp>

bool f(const std::vector<const char*>& words) {
  return words.empty();
}

int main() {
  return trawl::force(trawl::lazy<f>(std::vector<const char*>())) ? 0 : 1;
}
