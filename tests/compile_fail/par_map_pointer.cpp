// expect: trawl: a pointer means nothing on another PE
#include <trawl/trawl.hpp>

const long* first_of(long) {
  return nullptr;
}

int main() {
  trawl::par_map<first_of>(std::vector<long>{1, 2});
}
