// expect: trawl: an aggregate with a C array, a base class or more than 100 fields can't be packed
#include <trawl/trawl.hpp>

struct Point {
  int x;
};
struct Point3 : Point {
  int y, z;
};

Point3 f(int x) {
  return {{x}, 2, 3};
}

int main() {
  return trawl::force(trawl::lazy<f>(1)).x;
}
