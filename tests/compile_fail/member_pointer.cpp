// expect: trawl: a member can't be suspended by its pointer; give a lambda that calls it
#include <trawl/trawl.hpp>

struct Counter {
  long n = 0;
  long get() const { return n; }
};

int main() {
  return static_cast<int>(trawl::spawn(&Counter::get, Counter()).sync());
}
