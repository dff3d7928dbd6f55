// expect: trawl: a thunk needs a result; a function that returns nothing does nothing here.
#include <trawl/trawl.hpp>

void f(long) {}

int main() {
  auto x = trawl::spawn<f>(1);
  x.sync();
}
