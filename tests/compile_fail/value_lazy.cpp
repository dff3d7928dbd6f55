// expect: trawl: a pointer means nothing on another PE
#include <trawl/trawl.hpp>

int main() {
  const char* text = "x";
  return trawl::Lazy<const char*>(text) ? 0 : 1;
}
