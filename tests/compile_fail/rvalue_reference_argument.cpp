// expect: trawl: a parameter that refers to something its caller can change can't be shared
#include <string>

#include <trawl/trawl.hpp>

bool f(std::string&& s) {
  return s.empty();
}

int main() {
  auto x = trawl::spawn<f>(std::string());
  return x.sync() ? 0 : 1;
}
