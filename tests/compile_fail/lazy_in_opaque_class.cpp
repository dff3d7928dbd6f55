// expect: trawl: a value of this type can't travel to another PE
#include <trawl/trawl.hpp>

class Box {
 public:
  Box() = default;
  trawl::Lazy<long> get() const { return x_; }

 private:
  trawl::Lazy<long> x_;
};

long f(Box b) {
  return trawl::force(b.get());
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(Box())));
}
