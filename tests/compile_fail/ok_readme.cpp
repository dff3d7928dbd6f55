// expect: ok
// The examples of lang/README.md.
#include <iostream>
#include <string>
#include <vector>

#include <trawl.hpp>

long fib(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);  // whoever has nothing to do may make this call
  const long y = fib(n - 2);
  return x.sync() + y;  // ... or we do, now
}

struct Cell {
  long head;
  trawl::Lazy<Cell> tail;
};

Cell count_from(long n) {
  return {n, trawl::lazy<count_from>(n + 1)};
}  // as long as anybody looks

long add(long a, long b) {
  return a + b;
}

bool lazy_values() {
  trawl::Lazy<long> x = trawl::lazy<fib>(20);  // suspended: nothing is computed yet
  auto y = trawl::lazy([](long a, long b) { return a * b; }, 6, 7);
  trawl::par(x);                    // may be evaluated by anyone, anywhere
  const long& v = trawl::force(x);  // evaluate it, or wait for whoever does
  trawl::Lazy<std::string> known("there already");
  bool done = y.evaluated();  // may become true at any time
  return (!done || trawl::force(y) == 42) && known && v == 6765 &&
         trawl::force(count_from(1).tail).head == 2;
}

long strategies() {
  std::vector<trawl::Lazy<long>> xs = trawl::lazy_map<fib>(std::vector<int>{20, 21, 22});
  trawl::apply(xs, trawl::par_list(trawl::rseq));                          // a spark for each
  trawl::apply(xs, trawl::par_list_chunk(100, trawl::rdeepseq));           // one for every 100
  for (long value : trawl::apply(xs, trawl::par_buffer(50, trawl::rseq)))  // 50 ahead of the loop
    std::cout << value << '\n';
  std::vector<long> values = trawl::force_all(xs);

  std::vector<long> same = trawl::par_map<fib>(std::vector<int>{20, 21, 22}, 2);  // chunks of 2
  long total = trawl::par_map_reduce<fib, add>(0, 25, 5, 0L);  // fib(0) + ... + fib(24), in order
  return total + values[0] + same[0];
}

int root(int argc, char** argv) {
  const int n = argc > 1 ? std::stoi(argv[1]) : 30;
  std::cout << fib(n) << '\n';
  return lazy_values() && strategies() > 0 ? 0 : 1;  // the exit code of the whole
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
