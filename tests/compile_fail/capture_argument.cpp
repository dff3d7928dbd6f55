// expect: trawl: a value of this type can't travel to another PE
#include <trawl/trawl.hpp>

template <class F>
long call(F f) {
  return f();
}

int main() {
  const long n = 3;
  const auto f = [&n] { return n; };
  return static_cast<int>(trawl::force(trawl::lazy<&call<decltype(f)>>(f)));
}
