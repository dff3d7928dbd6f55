// expect: trawl: the root takes (int, char**), (std::vector<std::string>) or nothing
#include <trawl/trawl.hpp>

int root(long n) {
  return static_cast<int>(n);
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
