// Goes one hot path so many times: its instructions are counted by `check`.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <trawl.hpp>

namespace {

long spawns(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<spawns>(n - 1);
  const long y = spawns(n - 2);
  return x.sync() + y;
}

long same(long n) {
  return n;
}

long thunks(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += trawl::force(trawl::lazy<same>(i));
  return sum;
}

long sparks(long times) {
  long sum = 0;
  for (long i = 0; i < times; ++i) sum += trawl::force(trawl::par(trawl::lazy<same>(i)));
  return sum;
}

int root(const std::vector<std::string>& arguments) {
  const std::string& path = arguments.at(1);
  const long times = std::atol(arguments.at(2).c_str());
  long result = 0;
  if (path == "spawn")
    result = spawns(static_cast<int>(times));
  else if (path == "thunk")
    result = thunks(times);
  else if (path == "spark")
    result = sparks(times);
  else
    return 2;
  std::cout << result << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
