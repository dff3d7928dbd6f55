// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <system_error>

#include <trawl/trawl.hpp>

std::error_code f(int n) {
  return {n, std::generic_category()};
}

int main() {
  return trawl::force(trawl::lazy<f>(2)).value();
}
