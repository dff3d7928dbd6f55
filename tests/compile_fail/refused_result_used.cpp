// expect: trawl: an aggregate with a C array, a base class or more than 100 fields can't be packed
#include <trawl/trawl.hpp>

struct Name {
  char text[16];
};

Name f(char first) {
  return {{first}};
}

int main() {
  auto x = trawl::spawn<f>('x');
  return x.sync().text[0] + trawl::force(trawl::lazy<f>('y')).text[0];
}
