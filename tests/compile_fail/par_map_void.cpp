// expect: trawl: par_map needs a result for each element; a function that returns nothing does
#include <vector>

#include <trawl/trawl.hpp>

void f(long) {}

int main() {
  trawl::par_map<f>(std::vector<long>{1, 2});
}
