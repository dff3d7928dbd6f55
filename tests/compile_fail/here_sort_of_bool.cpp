// expect: trawl: nothing can refer to an element of a std::vector<bool>
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

int main() {
  std::vector<bool> bits(3);
  trawl::here::sort(bits);
}
