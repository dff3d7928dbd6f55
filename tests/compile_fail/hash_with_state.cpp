// expect: trawl: a value of this type can't travel to another PE
#include <unordered_map>
#include <vector>

#include <trawl/trawl.hpp>

struct Salted {
  std::size_t salt = 0;
  std::size_t operator()(long x) const { return static_cast<std::size_t>(x) ^ salt; }
};
using Table = std::unordered_map<long, long, Salted>;

long total(const std::vector<Table>& tables) {
  return static_cast<long>(tables.size());
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<total>(std::vector<Table>(2))));
}
