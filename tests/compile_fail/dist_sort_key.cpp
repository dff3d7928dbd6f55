// expect: sort takes a function of an element, or one that compares two
#include <string>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}
long length(const std::string& text) {
  return static_cast<long>(text.size());
}

int root() {
  trawl::sort<length>(trawl::generate<square>(10));
  return 0;
}
