// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <memory>

#include <trawl/trawl.hpp>

std::shared_ptr<long> f(long n) {
  return std::make_shared<long>(n);
}

int main() {
  return static_cast<int>(*trawl::force(trawl::lazy<f>(1)));
}
