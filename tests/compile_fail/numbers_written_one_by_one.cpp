// expect: trawl: what writes numbers is a function of all of them
#include <trawl/trawl.hpp>

int main() {
  return static_cast<int>(trawl::numbers<double>(3, [](double& x) { x = 1; }).size());
}
