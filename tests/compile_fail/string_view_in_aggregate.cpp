// expect: trawl: a value of this type can't travel to another PE
#include <string_view>

#include <trawl/trawl.hpp>

struct Word {
  std::string_view text;
};

bool f(const Word& w) {
  return w.text.empty();
}

int main() {
  return trawl::force(trawl::lazy<f>(Word{"x"})) ? 0 : 1;
}
