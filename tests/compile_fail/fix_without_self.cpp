// expect: trawl: the first parameter of a function for fix is a Lazy of its result.
#include <trawl/trawl.hpp>

struct Ring {
  long value;
  trawl::Lazy<Ring> next;
};

Ring ring(long value, trawl::Lazy<Ring> next) {
  return {value, next};
}

int main() {
  trawl::force(trawl::fix<ring>(trawl::Lazy<Ring>()));
}
