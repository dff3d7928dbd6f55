// expect: trawl: a thunk needs a result; a function that returns nothing does nothing here.
#include <trawl/trawl.hpp>

void f(long) {}

int main() {
  trawl::force(trawl::lazy<f>(1));
}
