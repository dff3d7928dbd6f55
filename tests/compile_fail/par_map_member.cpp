// expect: trawl: a member can't be suspended by its pointer
#include <vector>

#include <trawl/trawl.hpp>

struct Pair {
  long a = 0;
  long sum() const { return a; }
};

int main() {
  const std::vector<Pair> pairs(2);
  trawl::par_map<&Pair::sum>(pairs);
  auto some = trawl::spawn_some<&Pair::sum>(pairs);
}
