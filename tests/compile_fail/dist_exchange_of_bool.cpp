// expect: trawl: exchange rows of char.
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

std::vector<bool> row(std::size_t) {
  return std::vector<bool>(3);
}

int main() {
  trawl::exchange(trawl::generate<row>(3));
}
