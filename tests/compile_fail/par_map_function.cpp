// expect: trawl: the function is a template argument: par_map<f>(xs)
#include <vector>

#include <trawl/trawl.hpp>

int main() {
  trawl::par_map([](long x) { return x + 1; }, std::vector<long>{1, 2});
  trawl::lazy_map([](long x) { return x + 1; }, std::vector<long>{1, 2});
  trawl::spawn_all([](long x) { return x + 1; }, std::vector<long>{1, 2});
  trawl::spawn_some([](long x) { return x + 1; }, std::vector<long>{1, 2});
}
