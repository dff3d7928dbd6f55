// expect: trawl: write run<root>(argc, argv)
#include <trawl/trawl.hpp>

int root() {
  return 0;
}

int main(int argc, char** argv) {
  return trawl::run(root, argc, argv);
}
