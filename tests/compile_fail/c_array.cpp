// expect: trawl: an aggregate with a C array, a base class or more than 100 fields can't be packed
#include <trawl/trawl.hpp>

struct Name {
  int length;
  char text[16];
};

long f(const Name& n) {
  return n.length;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(Name())));
}
