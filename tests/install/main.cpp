// What a user writes first: the numbers up to 100, summed on as many PEs as there are.
#include <iostream>

#include <trawl/trawl.hpp>

long sum(long from, long to) {
  if (to - from == 1) return from;
  const long middle = from + (to - from) / 2;
  auto left = trawl::spawn<sum>(from, middle);
  const long right = sum(middle, to);
  return left.sync() + right;
}

int root(int, char**) {
  std::cout << sum(1, 101) << '\n';
  return 0;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
