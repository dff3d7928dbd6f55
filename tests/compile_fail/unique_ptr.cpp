// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <memory>

#include <trawl/trawl.hpp>

long f(const std::unique_ptr<long>& p) {
  return *p;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(std::make_unique<long>(1))));
}
