// expect: trawl: a value of this type can't travel to another PE
#include <functional>

#include <trawl/trawl.hpp>

std::function<long()> f(long) {
  return {};
}

int main() {
  trawl::force(trawl::lazy<f>(1));
}
