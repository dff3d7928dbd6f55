// fib N: the n-th Fibonacci number by the slowest way there is, a spark at every call.
#include <chrono>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <trawl.hpp>

namespace {

long sequential_fib(int n) { return n < 2 ? n : sequential_fib(n - 1) + sequential_fib(n - 2); }

long fib(int n, int cutoff) {
  if (n < 2) return n;
  if (n < cutoff) return sequential_fib(n);
  auto x = trawl::spawn<fib>(n - 1, cutoff);
  const long y = fib(n - 2, cutoff);
  return x.sync() + y;
}

int root(int argc, char** argv) {
  CLI::App app("x");
  int n=30, cutoff=0; bool seq=false;
  app.add_option("n",n); app.add_option("--cutoff",cutoff); app.add_flag("--sequential",seq);
  try { app.parse(argc,argv);} catch(const CLI::ParseError&e){ return app.exit(e)==0?0:2; }
  auto t=std::chrono::steady_clock::now();
  std::cout << (seq?sequential_fib(n):fib(n,cutoff)) << '\n';
  std::cerr << "elapsed: " << std::chrono::duration<double>(std::chrono::steady_clock::now()-t).count() << " s\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return trawl::run<root>(argc, argv); }
