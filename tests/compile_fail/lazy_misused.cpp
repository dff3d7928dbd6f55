// expect: trawl: print force(x)
// expect: a member can't be suspended by its pointer; give a lambda that calls it
// expect: a pointer means nothing on another PE
#include <iostream>

#include <trawl/checkpoint.hpp>
#include <trawl/trawl.hpp>

struct Point {
  int x = 0;
  int twice() const { return 2 * x; }
};

int root() {
  std::cout << trawl::lazy([](int x) { return x; }, 1) << '\n';
  trawl::lazy<&Point::twice>(Point());
  int number = 0;
  trawl::checkpoint("file", &number);
  return 0;
}
