// expect: trawl: a view, an iterator or a smart pointer means nothing on another PE
#include <string_view>

#include <trawl/trawl.hpp>

bool f(std::string_view s) {
  return s.empty();
}

int main() {
  return trawl::force(trawl::lazy<f>("x")) ? 0 : 1;
}
