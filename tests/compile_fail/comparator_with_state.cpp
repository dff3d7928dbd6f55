// expect: trawl: a container's comparator or hash function does not travel with it
#include <set>

#include <trawl/trawl.hpp>

struct By {
  bool down = false;
  bool operator()(long a, long b) const { return down ? a > b : a < b; }
};

long first(const std::set<long, By>& numbers) {
  return *numbers.begin();
}

int main() {
  return static_cast<int>(trawl::spawn<first>(std::set<long, By>(By{true})).sync());
}
