// expect: trawl: par_map takes its function as a template argument: par_map<f>(xs)
#include <vector>

#include <trawl/trawl.hpp>

int main() {
  trawl::par_map([](long x) { return x + 1; }, std::vector<long>{1, 2});
}
