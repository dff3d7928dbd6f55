// expect: trawl: a value of this type can't travel to another PE
#include <map>
#include <string>

#include <trawl/trawl.hpp>

long f(const std::pair<const int, std::string>& entry) {
  return entry.first;
}

int main() {
  trawl::par_map<f>(std::map<int, std::string>{{1, "one"}});
}
