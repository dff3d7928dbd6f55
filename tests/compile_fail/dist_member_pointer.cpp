// expect: trawl: the skeleton's function can't be called with an element and these
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

struct Body {
  double at = 0;
};

Body body(std::size_t) {
  return {};
}

int main() {
  trawl::map<&Body::at>(trawl::generate<body>(3));
}
