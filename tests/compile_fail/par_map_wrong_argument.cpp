// expect: trawl: the function can't be called with the elements of this range.
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

long f(const std::string& s) {
  return static_cast<long>(s.size());
}

int main() {
  trawl::par_map<f>(std::vector<long>{1, 2});
}
