// expect: trawl: a class with virtual functions can't travel to another PE
#include <trawl/trawl.hpp>

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const { return 0; }
};

long f(const Shape& s) {
  return s.area();
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(Shape())));
}
