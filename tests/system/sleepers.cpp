// sleepers N: N tasks that do nothing for 2 ms each, and prints N. A run that lasts, on PEs that
// are busy as far as anybody can see, and takes no processor time from the tests beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

long sleep_for(long milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return 1;
}

long sleepers(long n) {
  std::vector<trawl::Lazy<long>> all;
  for (long i = 0; i < n; ++i) all.push_back(trawl::par(trawl::lazy<sleep_for>(2L)));
  long sum = 0;
  for (const auto& each : all) sum += trawl::force(each);
  return sum;
}

int root(int, char** argv) {
  constexpr long most_at_once = 1000;
  const long n = std::atol(argv[1]);
  long done = 0;
  while (done < n) done += sleepers(std::min(n - done, most_at_once));
  std::printf("%ld\n", done);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
